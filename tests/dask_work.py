"""What workers of a Dask cluster do in tests: work that fails, and workers that die."""

import os
import signal
import time
from pathlib import Path


def times_before(folder, name):
    """Count how often something was begun, whichever process did."""
    before = len(list(Path(folder).glob(f"{name}-*")))
    (Path(folder) / f"{name}-{before}-{os.getpid()}").touch()
    return before


def failing(frame, folder, times):
    """Fail at the partition with the word "fog" so many times."""
    if frame["text"].str.contains("fog").any() and times_before(folder, "failed") < times:
        raise OSError("the disk is gone")
    return frame


class Noted(dict):
    """A row that takes note of it when its label is read, and there is none."""

    def __getitem__(self, name):
        if name == "label" and self.get(name) is None:
            times_before(self.get("folder"), "read")
        return self.get(name)


def once(rows, folder):
    """Yield rows, and fail before the last of the first time."""
    Path(folder).mkdir(exist_ok=True)
    rows, before = list(rows), times_before(folder, "read")
    yield from rows[:-1]
    if not before:
        raise OSError("the disk is gone")
    yield rows[-1]


def slow_sky(rows, folder):
    """Take as long as one may for the partition with the word "sky"."""
    return slow(rows, folder) if rows[0][0] == "sky" else rows


def dying(frame, folder, times):
    """Kill this process at the partition with the word "fog" so many times."""
    if frame["text"].str.contains("fog").any() and times_before(folder, "died") < times:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)
    return frame


def slow(rows, folder):
    """Take as long as one may."""
    rows = list(rows)
    (Path(folder) / "begun").touch()
    for _ in range(600):
        if not (Path(folder) / "enough").exists():
            time.sleep(0.1)
    return rows


def n_characters(split, shared):
    """Return how long the texts of a split are, and what was shared."""
    texts = [text for batch in split.reader(label=None) for text in batch.texts]
    return sum(map(len, texts)), shared


def broken(split, shared):
    raise OSError("the disk is gone")
