"""Archives in the layout of published corpora."""

import gzip
import io
import tarfile


def packed(path, files):
    """Write a compressed archive of names and contents, text being Latin-1; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        gzip.open(path, "wb", compresslevel=1) as compressed,
        tarfile.open(fileobj=compressed, mode="w|") as archive,
    ):
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("latin-1")
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path
