"""Hostile archives and input files: bombs, damage, depth, links, pipes, and numbers too large.

Each case makes a file or folder, and says how its reading must end: READ, or a part of the message
of the error. In a quick trial, most are read in this process; some, and in a full trial all, go
through a command, whose memory and output are looked at as well. No command may write anything
but its output.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import resource
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
from trial import Run, Trial, run

from tallytext.errors import TallytextError
from tallytext.io import DocumentReader
from tallytext.runtime import import_zstd

#: The file has documents, which are read.
READ = "read"
#: Documents or an error: damage may be noticed or not.
EITHER = "either"
MOST_MEMORY = 1 << 30
#: Of a command, in seconds; on a quiet machine, the slowest takes a twentieth of it.
PATIENCE = 600.0
ROWS = "Cheap pills!,spam\nSee you at noon,ham\n"
CSV = "text,label\n" + ROWS * 5
MIB = 1 << 20

Make = Callable[[Path], Any]


@dataclass(frozen=True)
class Case:
    """A hostile file: its name, how to make it, and how reading it must end."""

    name: str
    make: Make
    ends: str
    #: Takes seconds, or much memory if it is read in the wrong way: only in a full trial.
    giant: bool = False
    #: Is run as a command in a quick trial, too.
    command: bool = False


# Text formats.


def plain(*parts: bytes | str) -> Make:
    content = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return lambda path: path.write_bytes(content)


def repeated(start: bytes, middle: bytes, times: int, end: bytes = b"") -> Make:
    """Write a large file without holding it."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.write(start)
            for _ in range(times):
                file.write(middle)
            file.write(end)

    return make


def line(text: str, label: str) -> str:
    return f'{{"text": {text}, "label": {label}}}\n'


def text_cases() -> Iterator[Case]:
    deep = 100_000
    fine = line('"Cheap pills!"', '"spam"') * 3
    yield Case("NUL bytes.csv", plain("text,label\na\0b,x\n\0\0,y\0\n"), READ)
    yield Case("NUL bytes.jsonl", plain(fine, line('"a\\u0000b"', '"x\\u0000"')), READ)
    yield Case("NUL bytes only.csv", plain(bytes(100_000)), "has no column")
    yield Case("deep array.json", plain("[" * deep), "not readable as JSON")
    yield Case("deep array line.jsonl", plain(fine, "[" * deep + "]" * deep), "not readable")
    yield Case("deep object.jsonl", plain(fine, '{"a":' * deep), "not readable as JSON")
    yield Case("deep text.jsonl", plain(line("[" * 900 + "]" * 900, '"x"')), "not a string")
    yield Case("deep label.jsonl", plain(line('"x"', "[" * 900 + "]" * 900)), "cannot be a label")
    yield Case(
        "deep other key.jsonl",
        plain('{"text":"a","label":"x","other":', "[" * 900 + "]" * 900, "}\n", fine),
        EITHER,
    )
    yield Case("large numbers.jsonl", plain(fine, line('"a"', str(10**30))), EITHER)
    yield Case("large float.jsonl", plain(fine, line('"a"', "1e999")), "cannot be a label")
    yield Case("negative.jsonl", plain(fine, line('"a"', str(-(2**63) - 1))), EITHER)
    yield Case("5,000 digits.jsonl", plain(fine, line('"a"', "1" * 5000)), "not readable as JSON")
    yield Case("number as text.jsonl", plain(fine, line("1e400", '"x"')), "not a string")
    yield Case("lone surrogates.jsonl", plain(fine, line('"\\ud800"', '"\\udfff"') * 5), EITHER)
    yield Case("large numbers.csv", plain(CSV, f"1{'0' * 400},{10**400}\n1e999,-1e999\n"), READ)
    columns = ",".join(f"c{i}" for i in range(100_000))
    cells = ",".join("7" * 100_000)
    wide = f"text,label,{columns}\n" + f"Cheap pills!,spam,{cells}\nSee you,ham,{cells}\n" * 20
    yield Case("10^5 columns.csv", plain(wide), READ, command=True)
    yield Case("10^5 other columns.csv", plain(f"{columns}\n{cells}\n"), "has no column 'text'")
    yield Case("10^5 equal columns.csv", plain(f"text,label{',c' * 100_000}\na,b\n"), EITHER)
    yield Case("10^6 commas.csv", plain(CSV, "," * 1_000_000), "1000001 fields")
    yield Case("only commas.csv", repeated(b"", b"," * MIB, 30), "has no column", giant=True)
    yield Case("long label.csv", plain(CSV, "a,", "x" * 1_000_000, "\n"), "1,000,000 characters")
    yield Case("long name of a column.csv", plain("x" * MIB, ",label\na,b\n"), "has no column")
    yield Case(
        "open quote.csv",
        repeated(CSV.encode() + b'"', b"a line of words, and more of them\n" * 30_000, 34),
        "is a quote not closed?",
        command=True,
    )
    yield Case(
        "field of 2 GB.csv",
        repeated(CSV.encode() + b'"', b"words and " * (MIB // 10), 2000, b'",spam\n'),
        "larger than 32 MiB",
        giant=True,
    )
    yield Case(
        "line of 2 GB.jsonl",
        repeated(fine.encode() + b'{"text": "', b"words and " * (MIB // 10), 2000, b'"}\n'),
        "larger than 32 MiB",
        giant=True,
    )
    yield Case(
        "element of 2 GB.json",
        repeated(b'[{"text": "', b"words and " * (MIB // 10), 2000, b'"}]'),
        "larger than 32 MiB",
        giant=True,
    )
    # Just below the limit: what Python needs for them is far more than their size.
    wide_text = ("\U0001f600" + "x" * (MIB - 4)).encode()
    for name, start, end in (("csv", b'text,label\n"', b'",a\n'), ("txt", b"", b"\n")):
        make = repeated(start, wide_text, 31, end)
        yield Case(f"one wide character in 31 MiB.{name}", make, EITHER, giant=True)
    wide_line = repeated(b'{"label": "a", "text": "', wide_text, 31, b'"}\n')
    yield Case("one wide character in 31 MiB.jsonl", wide_line, EITHER, giant=True)
    wide_line = repeated(b'[{"label": "a", "text": "', wide_text, 31, b'"}]')
    yield Case("one wide character in 31 MiB.json", wide_line, EITHER, giant=True)
    for name, value in (
        *(("empty arrays", b"[],"), ("nested arrays", b"[[[[]]]],"), ("numbers", b"1.5,")),
        *(("nested objects", b'{"":{"":{}}},'), ("texts", b'"ab",'), ("empty objects", b"{},")),
    ):
        values = b"".join([value] * (MIB // len(value)))
        make = repeated(b'{"text":"a","label":"x","other":[', values, 30, b"0]}\n")
        yield Case(f"30 MiB of {name}.jsonl", make, EITHER, giant=True)
        make = repeated(b'[{"text":"a","label":"x","other":[', values, 30, b"0]}]\n")
        yield Case(f"30 MiB of {name}.json", make, EITHER, giant=True)
    other = json.dumps({"text": "a b", "label": "x", "other": "z" * MIB}).encode() + b"\n"
    yield Case("large other column.jsonl", repeated(b"", other, 1200), READ, giant=True)
    yield Case("UTF-16 without end.csv", plain(b"\xff\xfe", b"t\0e\0" * 1000, b"\0"), EITHER)
    yield Case("an image.csv", plain(b"\x89PNG\r\n\x1a\n", bytes(range(256)) * 50), "line 1")
    yield Case("control characters.txt", plain(bytes(range(32)), b"\x1b[2J\n"), EITHER)


# Compressed files.


def packers() -> dict[str, Callable[[bytes], bytes]]:
    return {
        "gz": partial(gzip.compress, compresslevel=9),
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": import_zstd().compress,
    }


def bomb(pack: Callable[[bytes], bytes], start: str, block: bytes, times: int) -> Make:
    """Concatenate packed blocks, which all programs unpack one after another."""

    def make(path: Path) -> None:
        path.write_bytes(pack(start.encode()) + pack(block) * times)

    return make


def damaged(content: bytes, suffix: str) -> Iterator[tuple[str, bytes]]:
    yield f"cut.{suffix}", content[: len(content) // 2]
    yield f"without end.{suffix}", content[:-4]
    middle = len(content) // 2
    yield f"bent.{suffix}", content[:middle] + b"\xff\0\xff" + content[middle + 3 :]
    yield f"of zeros.{suffix}", bytes(len(content))
    yield f"with more.{suffix}", content + b"more"


def xz_with_dictionary(size: int) -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": size}]
    return lzma.compress(CSV.encode(), filters=filters)


def large_dictionary(path: Path) -> None:
    """Write an .xz header that demands 1.5 GiB, without having them here."""
    content = bytearray(xz_with_dictionary(1 << 16))
    # A block header: sizes, filter id, size of properties, the dictionary, padding and checksum.
    start = content.index(b"\x21\x01", 12)
    content[start + 2] = 37
    end = 12 + (content[12] + 1) * 4
    content[end - 4 : end] = struct.pack("<I", zlib.crc32(content[12 : end - 4]))
    path.write_bytes(content)


def compressed_cases() -> Iterator[Case]:
    words = (b"See you at noon for lunch " * 200 + b",ham\n") * (8 * MIB // 5200)
    one = (b"word " * (8 * MIB // 5))[:-1]
    for suffix, pack in packers().items():
        yield Case(
            f"long line.csv.{suffix}",
            bomb(pack, 'text,label\n"', one, 5),
            "larger than 32 MiB",
            command=suffix == "zst",
        )
        yield Case(
            f"bomb.txt.{suffix}",
            bomb(pack, "a\n", b"word " * MIB + b"\n", 80),
            "200 times its size",
            giant=suffix != "zst",
        )
        make = bomb(pack, "text,label\n", words, 40)
        yield Case(f"rows.csv.{suffix}", make, "200 times its size", giant=True)
        for name, content in damaged(pack(CSV.encode() * 200), f"csv.{suffix}"):
            yield Case(name, plain(content), EITHER)
        yield Case(f"empty.csv.{suffix}", plain(b""), EITHER)
        yield Case(f"packed nothing.csv.{suffix}", plain(pack(b"")), "is empty")
        twice = pack(pack(CSV.encode()))
        yield Case(f"packed twice.csv.{suffix}", plain(twice), "line 1")
    yield Case("large dictionary.csv.xz", large_dictionary, "Memory usage limit")
    yield Case("10^4 members.csv.gz", plain(gzip.compress(b"") * 10_000), "is empty")
    yield Case("5,000 padded.csv.xz", plain((lzma.compress(b"") + bytes(4)) * 5_000), "is empty")


# Archives.


def tar_header(name: bytes, size: bytes | int, kind: bytes = b"0", **at: bytes) -> bytes:
    """Return a header with a right checksum, whatever else is wrong with it."""
    block = bytearray(512)
    block[:100] = name[:100].ljust(100, b"\0")
    block[100:108] = b"0000644\0"
    block[124:136] = (b"%011o\0" % size if isinstance(size, int) else size)[:12].ljust(12, b"\0")
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    for start, value in at.items():
        block[int(start[1:]) : int(start[1:]) + len(value)] = value
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def tar_member(name: bytes, content: bytes, kind: bytes = b"0") -> bytes:
    padding = bytes(-len(content) % 512)
    return tar_header(name, len(content), kind) + content + padding


def pax(**attributes: str | bytes) -> bytes:
    content = b""
    for key, value in attributes.items():
        written = value.encode() if isinstance(value, str) else value
        record = b" " + key.replace("__", ".").encode() + b"=" + written + b"\n"
        length = len(record) + len(str(len(record)))
        length = len(record) + len(str(length))
        content += str(length).encode() + record
    return tar_member(b"pax", content, b"x")


FINE = tar_member(b"spam/1.txt", b"Cheap pills!") + tar_member(b"ham/2.txt", b"See you at noon")
END = bytes(1024)


def packed_tar(*parts: tuple[bytes, int]) -> Make:
    """Write parts of an archive, each repeated, as members of a gzip file."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            for part, times in parts:
                each = min(times, max(1, 4 * MIB // len(part)))
                file.write(gzip.compress(part * each, 6) * (times // each))

    return make


def tar_cases() -> Iterator[Case]:
    outside = [b"../../outside.txt", b"/tmp/outside.txt", b"..", b"/", b".", b"a/../../x/y", b"//a"]
    members = b"".join(tar_member(name, b"outside") for name in outside)
    yield Case("names outside.tar", plain(FINE, members, FINE, END), EITHER, command=True)
    kinds = {"hard link": b"1", "link": b"2", "device": b"3", "disk": b"4", "pipe": b"6"}
    for name, kind in kinds.items():
        header = tar_header(b"spam/" + name.encode(), 0, kind, x157=b"/etc/passwd")
        yield Case(f"a {name}.tar", plain(FINE, header, FINE, END), READ)
        stated = tar_header(b"spam/" + name.encode(), 1 << 30, kind)
        yield Case(f"a {name} with a size.tar", plain(FINE, stated, FINE, END), READ)
    for name, size in {
        "negative size": b"\xff" * 12,
        "more negative size": b"-0000000001\0",
        "size of 2^70": b"\x80\0\0" + b"\x40" + bytes(8),
        "size of 8 GiB": b"77777777777\0",
        "size that is no number": b"9z9999999\0",
        "size of blanks": b" " * 12,
    }.items():
        yield Case(f"{name}.tar", plain(FINE, tar_header(b"spam/3", size), FINE, END), EITHER)
    for value in ("-1", "1e9", "9" * 5000, "", " 12", "\u0661", "99999999999999"):
        make = plain(FINE, pax(size=value), tar_member(b"spam/3", b"x"), END)
        yield Case(f"pax size {value[:9]!r}.tar", make, EITHER)
    yield Case(
        "damaged pax.tar",
        plain(FINE, tar_member(b"x", b"99999 a=b\n", b"x"), FINE),
        "damaged attribute",
    )
    yield Case("pax without length.tar", plain(tar_member(b"x", b"a=b\n", b"x"), FINE), "a size is")
    names = tar_member(b"././@LongLink", b"spam/" + b"x" * 200 + b"\0", b"L")
    yield Case("10^4 long names.tar.gz", packed_tar((names, 10_000), (FINE + END, 1)), READ)
    attributes = tar_member(b"x", b"".join(b"12 k%05d=v\n" % i for i in range(80_000)), b"g")
    yield Case(
        "attributes for all.tar.gz",
        packed_tar((attributes, 4), (tar_member(b"spam/1", b"x"), 2000), (END, 1)),
        READ,
    )
    many = pax(GNU__sparse__major="1", GNU__sparse__minor="0", GNU__sparse__realsize=str(1 << 60))
    map_ = tar_header(b"spam/3", 256 * MIB)
    yield Case(
        "sparse map of 256 MiB.tar.gz",
        packed_tar(
            (FINE + many + map_ + b"999999999\n1\n".ljust(512, b"0"), 1),
            (b"1\n" * (MIB // 2), 255),
            (FINE + END, 1),
        ),
        EITHER,
        giant=True,
    )
    old = tar_header(b"spam/3", 0, b"S", x482=b"\1")
    more = (b"1".rjust(12, b"0") * 42).ljust(504, b"0") + b"\1" + bytes(7)
    yield Case(
        "old sparse map of 200 MiB.tar.gz",
        packed_tar((FINE + old, 1), (more, 400_000), (bytes(512) + FINE + END, 1)),
        EITHER,
        giant=True,
    )
    yield Case(
        "10^4 empty.tar.gz", packed_tar((tar_member(b"spam/1", b""), 10_000), (END, 1)), READ
    )
    make = packed_tar((tar_member(b"spam/1", b""), 1_000_000), (END, 1))
    yield Case("a million empty.tar.gz", make, EITHER, giant=True)
    zeros = tar_header(b"spam/3", 248 * MIB)
    yield Case(
        "a large member.tar.gz",
        packed_tar((FINE + zeros, 1), (bytes(MIB), 248), (FINE + END, 1)),
        "larger than 32 MiB",
    )
    for kind in (b"L", b"K", b"x", b"g", b"X"):
        header = tar_header(b"x", 1 << 34, kind)
        yield Case(f"header of 16 GiB {kind!r}.tar", plain(FINE, header), "a header of")
    yield Case("cut in a header.tar", plain(FINE, FINE[:100]), "in the middle of a header")
    yield Case("cut in a file.tar", plain(FINE[:520]), "in the middle of a file")
    yield Case("bad checksum.tar", plain(FINE, bytes([1]) * 512), "bad checksum")
    yield Case("a zip.tar", plain(b"PK\3\4" + bytes(600)), "as a tar archive")
    names_in_bytes = tar_member(b"sp\xff\xfem/1\xff.txt", b"x y z") + tar_member(
        b"a\nb/\x1b[2J", b"z"
    )
    yield Case("names in other bytes.tar", plain(FINE, names_in_bytes, END), EITHER, command=True)
    yield Case(
        "a name of 10^6 bytes.tar",
        plain(FINE, tar_member(b"", b"spam/" + b"n" * 10**6, b"L"), tar_member(b"", b"x"), END),
        READ,
    )


# Folders.


def folder_of(*made: Callable[[Path], object]) -> Make:
    def make(path: Path) -> None:
        for name, text in (("spam/1.txt", "Cheap pills!"), ("ham/2.txt", "See you at noon")):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text)
        for each in made:
            each(path)

    return make


def nested_folders(path: Path) -> None:
    """Make folders as deep as the system allows."""
    here, inner = os.open(path, os.O_RDONLY), 0
    try:
        for _ in range(1_100):
            os.mkdir("d", dir_fd=here)
            inner = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        file = os.open("1.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here)
        os.write(file, b"deep")
        os.close(file)
    finally:
        os.close(here)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def folder_cases() -> Iterator[Case]:
    def links(path: Path) -> None:
        (path / "spam/up").symlink_to(path)
        (path / "spam/a").symlink_to(path / "spam/b")
        (path / "spam/b").symlink_to(path / "spam/a")
        (path / "spam/broken").symlink_to("nowhere")
        (path / "spam/zero").symlink_to("/dev/zero")

    yield Case("links in circles", folder_of(links), READ, command=True)
    yield Case("pipes", folder_of(lambda path: os.mkfifo(path / "spam/pipe")), READ)
    yield Case("a socket", folder_of(lambda path: a_socket(path / "spam/s")), READ)
    yield Case("nested folders", folder_of(nested_folders), READ)
    names = [b"new\nline", b"\x1b[31mred", b"\xff\xfe", b"tab\t", "\u202ex".encode(), b"-o", b"*"]

    def odd(path: Path) -> None:
        for name in names:
            inner = os.fsencode(path) + b"/" + name
            Path(os.fsdecode(inner)).mkdir(parents=True)
            Path(os.fsdecode(inner + b"/" + name)).write_text("a text")

    yield Case("odd names", folder_of(odd), EITHER, command=True)

    def large(path: Path) -> None:
        with (path / "spam/large").open("wb") as file:
            file.truncate(1 << 36)

    yield Case("a file of 64 GiB", folder_of(large), "larger than 32 MiB")
    yield Case("a folder.csv", folder_of(), READ)


def special_cases() -> Iterator[Case]:
    for suffix in ("csv", "db", "parquet", "xlsx", "tar.gz", "duckdb"):
        yield Case(f"pipe.{suffix}", os.mkfifo, "a pipe or a device", command=suffix == "db")
    yield Case("socket.csv", a_socket, "a pipe or a device")
    yield Case("zeros.csv", lambda path: path.symlink_to("/dev/zero"), "a pipe or a device")
    yield Case("circle.csv", lambda path: path.symlink_to(path.name), "there is no file")
    for suffix in ("arrow", "feather"):
        make = plain(b"ARROW1\0\0", bytes(100))
        yield Case(f"table.{suffix}", make, "Convert it to Parquet")
    yield Case("mails.zip", plain(b"PK\5\6", bytes(18)), "Unpack it first")


# Parquet.

TABLE = pa.table({"text": ["Cheap pills!", "See you at noon"] * 50, "label": ["spam", "ham"] * 50})


def parquet(columns: Any, **options: Any) -> Make:
    """Write columns, or what a function returns, so that large ones are made when needed."""

    def make(path: Path) -> None:
        found = columns() if callable(columns) else columns
        pq.write_table(found if isinstance(found, pa.Table) else pa.table(found), path, **options)

    return make


def parquet_bytes() -> bytes:
    file = io.BytesIO()
    pq.write_table(TABLE, file)
    return file.getvalue()


def encrypted(path: Path, **options: Any) -> None:
    import pyarrow.parquet.encryption as pe

    class Kms(pe.KmsClient):
        def __init__(self, config: Any) -> None:
            super().__init__()

        def wrap_key(self, key: bytes, name: str) -> bytes:
            return key

        def unwrap_key(self, key: bytes, name: str) -> bytes:
            return key

    factory = pe.CryptoFactory(Kms)
    settings = pe.EncryptionConfiguration("k", column_keys={"k": ["text", "label"]}, **options)
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), settings)
    pq.write_table(TABLE, path, encryption_properties=properties)


def parquet_cases() -> Iterator[Case]:
    content = parquet_bytes()
    for name, bent in damaged(content, "parquet"):
        yield Case(name, plain(bent), EITHER)
    for length in (0, 1, len(content), 2**31 - 1, 2**32 - 1):
        footer = struct.pack("<I", length) + b"PAR1"
        yield Case(f"footer of {length}.parquet", plain(content[:-8], footer), "as parquet")
    yield Case("encrypted.parquet", encrypted, "as parquet")
    make = partial(encrypted, plaintext_footer=True)
    yield Case("encrypted columns.parquet", make, "as parquet", command=True)
    yield Case("not parquet.parquet", plain(CSV), "as parquet")
    for name, column in {
        "numbers": pa.array([1.5, 2.5]),
        "blobs": pa.array([b"\xff", b"\xfe"]),
        "lists": pa.array([["a"], ["b"]]),
        "structs": pa.array([{"a": 1}, {"a": 2}]),
        "nulls": pa.nulls(2),
    }.items():
        yield Case(f"{name} as text.parquet", parquet({"text": column, "label": ["a", "b"]}), "")
    for name, column in {
        "unsigned": pa.array([2**64 - 1, 2**63], pa.uint64()),
        "decimals": pa.array([Decimal(10) ** 30, -(Decimal(10) ** 30)]),
        "infinite": pa.array([np.inf, -np.inf]),
        "half": pa.array(np.array([1, 2], np.float16)),
        "times": pa.array([1, 2], pa.timestamp("ns")),
        "structs": pa.array([{"a": 1}, {"a": 2}]),
        "blobs": pa.array([b"\xff", b"\xfe"]),
        "deep lists": pa.array([[[["a"]]], [[["b"]]]]),
    }.items():
        make = parquet({"text": ["a", "b"], "label": column})
        yield Case(f"{name} as labels.parquet", make, EITHER)
    once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(5000, np.int32)), ["word " * 200_000])
    labels = pa.array(["a", "b"] * 2500)
    table = pa.table({"text": once, "label": labels})
    yield Case(
        "one text 5,000 times.parquet", parquet(table, store_schema=False), "200 times", giant=True
    )
    table = pa.table({"text": pa.array(["a", "b"] * 2500), "label": labels, "other": once})
    yield Case(
        "one other 5,000 times.parquet", parquet(table, store_schema=False), READ, giant=True
    )

    def page() -> dict[str, Any]:
        return {"text": ["a b " * (250 * MIB // 4)], "label": ["a"]}

    def prefix() -> dict[str, Any]:
        texts = [("x" * MIB) + str(i) for i in range(300)]
        return {"text": texts, "label": ["a", "b", "c"] * 100}

    options = {"use_dictionary": False, "compression": "zstd", "write_statistics": False}
    yield Case("a page of 250 MiB.parquet", parquet(page, **options), "(--max-unpacked", giant=True)
    options = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    yield Case("common beginnings.parquet", parquet(prefix, **options), "200 times", giant=True)
    columns = {f"c{i}": [1, 2] for i in range(20_000)}
    wide = {"text": ["a", "b"], "label": ["x", "y"], **columns}
    yield Case("20,000 columns.parquet", parquet(wide), READ, giant=True)


# Workbooks and databases.


def workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in [("text", "label"), ("Cheap pills!", "spam"), ("See you at noon", "ham")]:
        book.active.append(row)
    book.save(path)


SHEET = "xl/worksheets/sheet1.xml"
MAIN = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEAD = b"<worksheet " + MAIN + b"><sheetData>"
NAMES = (
    b'<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c>'
    b'<c r="B1" t="inlineStr"><is><t>label</t></is></c></row>'
)
TAIL = b"</sheetData></worksheet>"


def workbook_with(part: str, *pieces: tuple[bytes, int]) -> Make:
    """Replace or add a part of a workbook; its pieces are repeated."""

    def make(path: Path) -> None:
        workbook(path.with_suffix(".made"))
        with (
            zipfile.ZipFile(path.with_suffix(".made")) as old,
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for info in old.infolist():
                if info.filename != part:
                    new.writestr(info.filename, old.read(info))
            with new.open(part, "w", force_zip64=True) as file:
                for piece, times in pieces:
                    each = max(1, min(times, MIB // len(piece)))
                    for _ in range(times // each):
                        file.write(piece * each)
        path.with_suffix(".made").unlink()

    return make


def quoted_sizes_lie(path: Path) -> None:
    workbook_with(SHEET, (HEAD + NAMES, 1), (b"<row/>", 100_000), (TAIL, 1))(path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(SHEET).file_size
    path.write_bytes(content.replace(struct.pack("<I", size), struct.pack("<I", 100)))


def overlapping(path: Path) -> None:
    """Let all members of a workbook begin at the same place."""
    workbook(path)
    content = bytearray(path.read_bytes())
    for found in re.finditer(b"PK\1\2", bytes(content)):
        content[found.start() + 42 : found.start() + 46] = bytes(4)
    path.write_bytes(content)


def database(*statements: str) -> Make:
    def make(path: Path) -> None:
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return make


def duck(*statements: str) -> Make:
    def make(path: Path) -> None:
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)

    return make


def view(select: str) -> Make:
    return database(f"CREATE VIEW mails AS {select}")


def whole_file(make: Make, folder: Path, name: str) -> bytes:
    path = folder / name
    make(path)
    content = path.read_bytes()
    path.unlink()
    return content


def workbook_cases() -> Iterator[Case]:
    yield Case("lies about sizes.xlsx", quoted_sizes_lie, "as xlsx")
    yield Case("overlapping.xlsx", overlapping, "as xlsx")
    laughs = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha ha ha ">'
    for one, other in zip("abcdefghi", "bcdefghij", strict=True):
        laughs += b'<!ENTITY %c "%s">' % (ord(other), b"&%c;" % ord(one) * 10)
    cell = b'<row><c t="inlineStr"><is><t>&j;</t></is></c><c t="str"><v>a</v></c></row>'
    yield Case(
        "a billion laughs.xlsx",
        workbook_with(SHEET, (laughs + b"]>" + HEAD + NAMES + cell + TAIL, 1)),
        "as xlsx",
    )
    outside = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + HEAD + NAMES
    outside += cell.replace(b"&j;", b"&a;") + TAIL
    yield Case("an entity from outside.xlsx", workbook_with(SHEET, (outside, 1)), "as xlsx")
    for name, start, junk, times, end in (
        ("elements", b"", b"<x/>", 20_000_000, b""),
        ("attributes", b"", b'<x a=""/>', 9_000_000, b""),
        ("cells", b"<row>", b"<c><v>1</v></c>", 10_000_000, b"</row>"),
        ("text", b"", b"x" * 80, 2_000_000, b""),
    ):
        pieces = ((HEAD + NAMES + start, 1), (junk, times), (end + TAIL, 1))
        yield Case(f"millions of {name}.xlsx", workbook_with(SHEET, *pieces), EITHER, giant=True)
    strings = b"<sst " + MAIN + b">"
    pieces = ((strings, 1), (b"<si><t>a</t></si>", 10_000_000), (b"</sst>", 1))
    make = workbook_with("xl/sharedStrings.xml", *pieces)
    yield Case("10^7 texts.xlsx", make, "as xlsx", giant=True)
    pieces = ((b"<styleSheet " + MAIN + b">", 1), (b"<x/>", 40_000_000), (b"</styleSheet>", 1))
    yield Case("styles.xlsx", workbook_with("xl/styles.xml", *pieces), "as xlsx", giant=True)
    row = NAMES.replace(b'r="1"', b'r="2000000000"').replace(b"A1", b"A2000000000")
    row = row.replace(b"B1", b"B2000000000")
    make = workbook_with(SHEET, (HEAD + NAMES + row + TAIL, 1))
    yield Case("row two billion.xlsx", make, "more than 1,048,576 rows")
    far = NAMES.replace(b'r="B1"', b'r="ZZZZ1"')
    yield Case("a far column.xlsx", workbook_with(SHEET, (HEAD + far + TAIL, 1)), EITHER)
    make = workbook_with(SHEET, (HEAD + b"<row>" * 100_000, 1))
    yield Case("deep elements.xlsx", make, "as xlsx")
    yield Case("a member of 10 GiB.xlsx", bent_size, "--max-unpacked")


def bent_size(path: Path) -> None:
    """State a size of 4 GiB for a sheet."""
    workbook(path)
    content = bytearray(path.read_bytes())
    at = bytes(content).rindex(b"xl/worksheets/sheet1.xml")
    content[at - 22 : at - 18] = struct.pack("<I", 2**32 - 2)
    path.write_bytes(content)


def database_cases(folder: Path) -> Iterator[Case]:
    mails = (
        "CREATE TABLE mails (text, label)",
        "INSERT INTO mails VALUES ('Cheap pills!', 'spam'), ('See you at noon', 'ham')",
    )
    for suffix, make in (("db", database), ("duckdb", duck)):
        typed = mails[0].replace("text,", "text TEXT,").replace("label)", "label TEXT)")
        whole = whole_file(make(typed, *mails[1:] * 30), folder, f"whole.{suffix}")
        for name, bent in damaged(whole, suffix):
            yield Case(name, plain(bent), EITHER)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
    words = "SELECT printf('%.*c', 1000000, 'x') AS text, 'a' AS label FROM c"
    yield Case("endless rows.db", view(endless + words), "(--max-unpacked", command=True)
    none = "SELECT x AS text, 'a' AS label FROM c WHERE x < 0"
    yield Case("no row ever.db", view(endless + none), "takes too long", giant=True)
    for size in (40_000_000, 900_000_000, 2_000_000_000):
        large = f"SELECT printf('%.*c', {size}, 'x') AS text, 'a' AS label"
        yield Case(f"text of {size}.db", view(large), EITHER, giant=size > 40_000_000)
    blob = "SELECT zeroblob(900000000) AS text, 'a' AS label"
    yield Case("large blob.db", view(blob), "too big")
    for call in ("load_extension('x')", "readfile('/etc/passwd')", "writefile('/tmp/x', 'x')"):
        yield Case(f"{call[:8]}.db", view(f"SELECT {call} AS text, 'a' AS label"), EITHER)
    make = database(mails[0], "INSERT INTO mails VALUES (9223372036854775807, -1e999)")
    yield Case("large numbers.db", make, EITHER)
    quotes = 'CREATE TABLE "a""; DROP TABLE x; --" (text, label)'
    yield Case("a name with quotes.db", database(quotes), EITHER)
    make = database(
        mails[0],
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE mails (text, label, ' || "
        "printf('%.*c', 1000, '(') || ')'",
    )
    yield Case("a damaged schema.db", make, "malformed")
    make = duck(
        "CREATE VIEW mails AS SELECT repeat('x', 1000000) AS text, 'a' AS label "
        "FROM range(1000000000000)"
    )
    yield Case("endless rows.duckdb", make, "(--max-unpacked", giant=True)
    make = duck("CREATE VIEW mails AS SELECT repeat('x', 2000000000) AS text, 'a' AS label")
    yield Case("text of 2 GB.duckdb", make, "(--max-unpacked", giant=True)
    # Opening files is allowed when the view is made, and not when it is read.
    other = folder / "secret.csv"
    other.write_text(CSV)
    make = duck(f"CREATE VIEW mails AS SELECT * FROM read_csv('{other}')")
    yield Case("a view of a file.duckdb", make, "is a view")
    make = duck(
        "CREATE TABLE mails AS SELECT 'a' AS text, 170141183460469231731687::HUGEINT AS label"
    )
    yield Case("huge integers.duckdb", make, EITHER)


def mutated(trial: Trial, make: Make, name: str, n_files: int) -> None:
    """Bend random bytes of a file, many times; it must be read, or refused with an error."""
    content = whole_file(make, trial.folder, f"whole-{name}")
    path = trial.folder / name
    for round in range(n_files):
        rng, bent = trial.rng("files", name, round), bytearray(content)
        for _ in range(rng.choice([1, 3, 20])):
            at = rng.randrange(len(bent))
            if rng.random() < 0.1 and len(bent) > 64:
                del bent[at : at + rng.randrange(64)]
            else:
                bent[at] = rng.choice([0, 1, 127, 128, 255, bent[at] ^ 1 << rng.randrange(8)])
        path.write_bytes(bent)
        with trial.case(f"{name}, mutation {round}"):
            read_here(path, rng.choice(["fail", "skip"]), rng.choice([(), "all"]))
        path.unlink()


def mutations() -> dict[str, Make]:
    rows = "CREATE TABLE mails (text TEXT, label TEXT)", "INSERT INTO mails VALUES ('a b', 'c')"
    lists = {"text": ["a", "b"] * 20, "label": [["a"], ["b", "c"]] * 20}
    return {
        "m.csv.gz": plain(gzip.compress(CSV.encode())),
        "m.csv.xz": plain(lzma.compress(CSV.encode())),
        "m.csv.zst": plain(import_zstd().compress(CSV.encode())),
        "m.tar": plain(FINE, pax(path="spam/4"), FINE, END),
        "m.jsonl": plain(line('"Cheap"', '"spam"') * 9),
        "m.json": plain("[", ",".join([line('"Cheap"', '"spam"')] * 9), "]"),
        "m.parquet": parquet(TABLE),
        "lists.parquet": parquet(lists, compression="zstd", use_dictionary=False),
        "m.xlsx": workbook,
        "m.db": database(*rows),
        "m.duckdb": duck(*rows),
    }


def all_cases(folder: Path) -> Iterator[Case]:
    yield from text_cases()
    yield from compressed_cases()
    yield from tar_cases()
    yield from folder_cases()
    yield from special_cases()
    yield from parquet_cases()
    yield from workbook_cases()
    yield from database_cases(folder)


def read_here(path: Path, on_error: str, also: str | tuple[()]) -> tuple[int, str]:
    """Read a file in this process; return the number of rows and what was said about others."""
    label = None if path.suffix == ".txt" or ".txt." in path.name else "label"
    try:
        reader = DocumentReader(path, label=label, also=also, on_error=on_error)  # type: ignore[arg-type]
        n_rows = sum(len(batch) for batch in reader)
    except TallytextError as problem:
        return 0, str(problem)
    return n_rows, "".join(reader.skipped.messages)


def try_here(trial: Trial, case: Case, path: Path) -> None:
    has_columns = path.is_file() and ".tar" not in path.name
    for on_error, also in (("fail", ()), ("skip", "all" if has_columns else ())):
        with trial.case(f"{case.name}, {on_error}"):
            n_rows, message = read_here(path, on_error, also)
            check_end(trial, case, n_rows > 0, message)


def check_end(trial: Trial, case: Case, is_read: bool, message: str) -> None:
    if case.ends == READ:
        trial.expect(is_read, f"{case.name}: not read: {message}")
    elif case.ends != EITHER:
        trial.expect(case.ends in message, f"{case.name}: the message is {message[:500]!r}")
    trial.expect(len(message) < 20_000, f"{case.name}: a message of {len(message)} characters")


def try_command(trial: Trial, case: Case, path: Path, model: Path, number: int) -> None:
    """Read a file by one of the commands, in turn."""
    out = trial.folder / "out"
    commands: list[list[str | Path]] = [
        ["predict", model, path, "--on-error", "skip"],
        ["predict", model, path, "-o", out / "labelled.csv"],
        ["train", path, "-o", out / "new.tally", "--model", "multinomial"],
    ]
    command = commands[number % (2 if ".txt" in path.name else 3)]
    out.mkdir()
    before = listing(trial.folder)
    with trial.case(f"{case.name}: tally {command[0]}"):
        ended = run(command, folder=trial.folder, patience=PATIENCE)
        check_run(trial, f"{case.name}: {' '.join(map(str, command))}", ended)
    trial.expect(listing(trial.folder) == before, f"{case.name}: wrote outside its output")
    shutil.rmtree(out)


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "out")


def check_run(trial: Trial, name: str, ended: Run) -> None:
    trial.expect(ended.code in (0, 1, 2), f"{name} ended with {ended.code}: {ended.err[-800:]}")
    trial.expect("Traceback" not in ended.err, f"{name}: {ended.err[-800:]}")
    trial.expect(
        ended.memory < MOST_MEMORY, f"{name} took {ended.memory >> 20} MiB: {ended.err[-200:]}"
    )
    errors = [each for each in ended.err.splitlines() if each.startswith("error: ")]
    told = len(errors) == 1 or "rror" in ended.err
    trial.expect(ended.code == 0 or told, f"{name} failed without a word: {ended.err[-300:]}")
    trial.expect(len(ended.err) < 40_000, f"{name} wrote {len(ended.err)} characters")


def attack(trial: Trial) -> None:
    """Make each file, and read it."""
    model = trial.folder / "model.tally"
    start = trial.folder / "start.csv"
    start.write_text(CSV)
    trained = run(["train", start, "-o", model, "--model", "multinomial", "--quiet"])
    trial.expect(trained.code == 0, f"the model was not trained: {trained.err}")
    for number, case in enumerate(all_cases(trial.folder)):
        if case.giant and trial.quick:
            continue
        path = trial.folder / case.name.replace("/", "")
        case.make(path)
        if not case.giant:
            try_here(trial, case, path)
        if case.command or not trial.quick:
            try_command(trial, case, path, model, number + trial.seed)
        # shutil.rmtree fails for folders that are nested too deeply.
        subprocess.run(["rm", "-rf", path], check=True)
    for name, make in mutations().items():
        is_slow = "duckdb" in name
        n_files = trial.some(4 if is_slow else 20, 1_000 if is_slow else 10_000)
        mutated(trial, make, name, n_files)
    unit = 1 if sys.platform == "darwin" else 1024
    most = unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    trial.expect(not trial.quick or most < MOST_MEMORY, f"reading took {most >> 20} MiB here")
