"""How files are bent: bytes, lengths, what headers say, and values of arrays."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import numpy as np

from tallytext.io.safetensors import array_checksum, header_checksum

HUGE = "a number that Python reads as infinite"
HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1, 7, 255, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63), 2**64, 10**40,
    10**400, 0.5, -0.5, 1.5, -1e308, 1e308, 5e-324, HUGE, float("nan"), "", "x", "0.5", "sea", "I8",
    "F64", "l2", "\ud800", "poisson", "MultinomialNB", "auto", [], [0], [2**62, 2**62], ["sea"],
    [[]], [None], {}, {"kind": "x"}, {"tuple": [1]}, {"float": "inf"}, {"float": "nan"},
    {"mapping": [["sea", 0.5]]}, {"mapping": [["a", 1], ["p", 1e308]]}, {"pattern": ["(a+)+", 0]},
    {"kind": "TextVectorizer", "parameters": {}}, {"kind": "BernoulliNB", "parameters": {}},
    {"kind": "Platt", "parameters": {"mapping": [["slopes", [1.0]], ["intercepts", [0.0]]]}},
    {"kind": "RCut", "parameters": {"mapping": [["t", 1]]}},
]  # fmt: skip


def bent_file(rng: random.Random, content: bytes) -> tuple[bytes, bool]:
    """Return a file that someone has bent, and whether its checksums are those of what it is."""
    for _ in range(rng.choice([1, 1, 1, 3])):
        try:
            content = rng.choice(BENDS)(rng, content)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            break  # bent too much to be bent again
    seal = rng.random() < 0.5
    return (sealed(content) if seal else content), seal


# ---------------------------------------------------------------------- ways to bend


def flip(rng: random.Random, content: bytes) -> bytes:
    bent, end = bytearray(content), rng.choice([8, 200, len(content), len(content)])
    for _ in range(rng.choice([1, 1, 2, 8])):
        bent[rng.randrange(end)] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return bytes(bent)


def resize(rng: random.Random, content: bytes) -> bytes:
    at, until = sorted(rng.randint(0, len(content)) for _ in range(2))
    ways = [content[:at], content + content[at:until], content[:at] + content[until:]]
    return rng.choice([*ways, content[:at] + bytes(until - at) + content[until:]])


def edit_header(rng: random.Random, content: bytes) -> bytes:
    header, data = split(content)
    bend_somewhere(rng, header)
    return joined(header, data)


def edit_settings(rng: random.Random, content: bytes) -> bytes:
    header, data = split(content)
    settings = json.loads(header["__metadata__"]["header"])
    bend_somewhere(rng, settings)
    header["__metadata__"]["header"] = spelt(settings)
    return joined(header, data)


def name_twice(rng: random.Random, content: bytes) -> bytes:
    header, data = split(content)
    settings = header["__metadata__"]["header"]
    name = rng.choice(list(re.finditer(r'"\w+": ', settings)))
    twice = settings[: name.start()] + f"{name[0]}0, " + settings[name.start() :]
    header["__metadata__"]["header"] = twice
    return joined(header, data)


def edit_array(rng: random.Random, content: bytes) -> bytes:
    header, data = split(content)
    name = rng.choice([name for name in header if name != "__metadata__"])
    begin, end = header[name]["data_offsets"]
    dtype = np.dtype({"U8": "u1", "U32": "<u4", "I32": "<i4", "I64": "<i8"}[header[name]["dtype"]])
    array = np.frombuffer(data[begin:end], dtype).copy()
    for _ in range(rng.choice([1, 1, 2, 5]) if array.size else 0):
        bend_value(rng, array)
    return joined(header, data[:begin] + array.tobytes() + data[end:])


BENDS = [flip, resize, edit_header, edit_settings, edit_settings, name_twice, edit_array]


def bend_value(rng: random.Random, array: Any) -> None:
    limits, at = np.iinfo(array.dtype), rng.randrange(array.size)
    near = [int(array[at]) + step for step in (-1, 1, 97)]
    wanted = rng.choice([0, 1, limits.min, limits.max, limits.max // 2, *near])
    array[at] = min(max(wanted, limits.min), limits.max)


def bend_somewhere(rng: random.Random, tree: Any) -> None:
    """Do something hostile to some value, or to its name."""
    inner, key = somewhere(rng, tree)
    rng.choice([drop, rename, lengthen, swap, *[replace] * 8])(rng, tree, inner, key)


def drop(rng: random.Random, tree: Any, inner: Any, key: Any) -> None:
    del inner[key]


def rename(rng: random.Random, tree: Any, inner: Any, key: Any) -> None:
    if isinstance(inner, dict):
        inner[f"{key}x"] = inner.pop(key)


def lengthen(rng: random.Random, tree: Any, inner: Any, key: Any) -> None:
    if isinstance(inner, list):
        inner.insert(key, inner[key])


def swap(rng: random.Random, tree: Any, inner: Any, key: Any) -> None:
    other, place = somewhere(rng, tree)
    spelt_here, spelt_there = json.dumps(inner[key]), json.dumps(other[place])
    inner[key], other[place] = json.loads(spelt_there), json.loads(spelt_here)


def replace(rng: random.Random, tree: Any, inner: Any, key: Any) -> None:
    inner[key] = nested(rng) if rng.random() < 0.03 else rng.choice(HOSTILE)


def somewhere(rng: random.Random, tree: Any) -> tuple[Any, Any]:
    """Return a mapping or a list inside a tree, and one of its keys or places."""
    while True:
        key = rng.choice(list(tree) if isinstance(tree, dict) else list(range(len(tree))))
        inner = tree[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.15:
            return tree, key
        tree = inner


def nested(rng: random.Random) -> Any:
    deep: Any = 0
    for _ in range(rng.choice([10, 400])):
        deep = rng.choice([[deep], {"tuple": [deep]}])
    return deep


# ---------------------------------------------------------------------- the format, once more


def split(content: bytes) -> tuple[Any, bytes]:
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def joined(header: Any, data: bytes) -> bytes:
    written = spelt(header).encode()
    written += b" " * (-len(written) % 8)
    return len(written).to_bytes(8, "little") + written + data


def spelt(header: Any) -> str:
    return json.dumps(header).replace(json.dumps(HUGE), "1e999")


def sealed(content: bytes) -> bytes:
    """Return a file with the checksums of what it is now, as far as it is a file at all."""
    try:
        header, data = split(content)
        notes = header["__metadata__"]
        arrays = {name: entry for name, entry in header.items() if name != "__metadata__"}
        parts = {name: data[slice(*entry["data_offsets"])] for name, entry in arrays.items()}
        sums = {name: array_checksum(np.frombuffer(part, np.uint8)) for name, part in parts.items()}
        notes["checksums"] = json.dumps(sums)
        told = {name: (entry["dtype"], entry["shape"]) for name, entry in arrays.items()}
        notes["checksum"] = header_checksum(
            told, {name: note for name, note in notes.items() if name != "checksum"}
        )
        return joined(header, data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return content
