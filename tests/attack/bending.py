"""How files are bent: bytes, lengths, what headers say, and values of arrays."""

from __future__ import annotations

import json
import math
import random
import re
import zlib
from typing import Any

import numpy as np

from tallytext.errors import TallytextError
from tallytext.io.safetensors import array_checksum, header_checksum
from tallytext.models.packed_rows import pack_array, unpack_array

TYPES = {
    **{"BOOL": np.dtype("?"), "U8": np.dtype("u1"), "I8": np.dtype("i1"), "U16": np.dtype("<u2")},
    **{"I16": np.dtype("<i2"), "U32": np.dtype("<u4"), "I32": np.dtype("<i4")},
    **{"U64": np.dtype("<u8"), "I64": np.dtype("<i8"), "F16": np.dtype("<f2")},
    **{"F32": np.dtype("<f4"), "F64": np.dtype("<f8")},
}
HUGE = "a number that Python reads as infinite"
HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1, 7, 255, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63), 2**64, 10**40,
    10**400, 0.5, -0.5, 1.5, -1e308, 1e308, 5e-324, HUGE, float("nan"), "", "x", "0.5", "sea", "I8",
    "F64", "l2", "\ud800", "\0", "e\u0301", "\u202e", "\U0001f30a",
    "poisson", "MultinomialNB", "auto", [], [0], [2**62, 2**62], ["sea"],
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
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error):
            break  # bent too much to be bent again
    seal = rng.random() < 0.85
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
    """Change some values of an array."""
    header, parts = taken_apart(content)
    name = rng.choice(list(parts))
    array = np.frombuffer(parts[name], TYPES[header[name]["dtype"]]).copy()
    for _ in range(rng.choice([1, 1, 2, 5]) if array.size else 0):
        bend_value(rng, array)
    parts[name] = array.tobytes()
    return assembled(header, parts)


def disorder_array(rng: random.Random, content: bytes) -> bytes:
    """Change the order of the values of an array, or put one value in the place of all."""
    header, parts = taken_apart(content)
    name = rng.choice(list(parts))
    array = np.frombuffer(parts[name], TYPES[header[name]["dtype"]]).copy()
    order = list(range(array.size))
    rng.shuffle(order)
    half = array.size // 2
    ways = [array[order], array[::-1], np.roll(array, 1), np.r_[array[half:], array[:half]]]
    ways += [np.full_like(array, rng.choice(array)), np.sort(array)] if array.size else []
    parts[name] = rng.choice(ways).tobytes()
    return assembled(header, parts)


def exchange_arrays(rng: random.Random, content: bytes) -> bytes:
    """Let two arrays change places, of the same size if there are such."""
    header, parts = taken_apart(content)
    one = rng.choice(list(parts))
    fitting = [name for name in parts if len(parts[name]) == len(parts[one]) and name != one]
    other = rng.choice(fitting if fitting and rng.random() < 0.8 else list(parts))
    parts[one], parts[other] = parts[other], parts[one]
    if rng.random() < 0.5:
        header[one], header[other] = header[other], header[one]
    return assembled(header, parts)


def resize_array(rng: random.Random, content: bytes) -> bytes:
    """Take rows from an array, add some, or tell another shape or type of the same bytes."""
    header, parts = taken_apart(content)
    name = rng.choice(list(parts))
    entry, size = header[name], TYPES[header[name]["dtype"]].itemsize
    shape = entry["shape"]
    way = rng.choice(["shorter", "longer", "shape", "type", "empty"])
    if way in ("shorter", "longer", "empty"):
        row = size * math.prod(shape[1:])
        rows = {"shorter": rng.randint(0, shape[0]), "longer": shape[0] + rng.choice([1, 2, 100])}
        shape[0] = rows.get(way, 0)
        parts[name] = (parts[name] + bytes(100 * row))[: shape[0] * row]
    elif way == "shape":
        sides = [shape[::-1], [math.prod(shape)], [*shape, 1], [1, *shape], [0, 2**62], [2**40, 0]]
        entry["shape"] = rng.choice(sides)
    else:
        same = [code for code, dtype in TYPES.items() if dtype.itemsize == size]
        entry["dtype"] = rng.choice(same)
    return assembled(header, parts)


def edit_json_array(rng: random.Random, content: bytes) -> bytes:
    """Do something hostile to an array that holds JSON."""
    header, parts = taken_apart(content)
    name = rng.choice([name for name, part in parts.items() if part[:1] in (b"{", b"[")])
    tree = json.loads(parts[name])
    bend_somewhere(rng, tree)
    parts[name] = spelt(tree).encode()
    header[name]["shape"] = [len(parts[name])]
    return assembled(header, parts)


def edit_packed(rng: random.Random, content: bytes) -> bytes:
    """Change what is inside a packed array, or let few bytes unpack to many."""
    header, parts = taken_apart(content)
    name = rng.choice([name for name, part in parts.items() if unpacked(part) is not None])
    body = np.array(unpacked(parts[name]))
    way = rng.choice(["flip", "flip", "flip", "cut", "append", "bomb"])
    if way == "flip" and body.size:
        for _ in range(rng.choice([1, 1, 2, 8])):
            body[rng.randrange(body.size)] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
    elif way == "cut":
        body = body[: rng.randint(0, body.size)]
    elif way == "append":
        body = np.append(body, np.full(rng.choice([1, 8, 1000]), rng.randrange(256), np.uint8))
    else:
        body = np.frombuffer(bytes(rng.choice([2**20, 2**27])), np.uint8)
        settings = json.loads(header["__metadata__"]["header"])
        dtype = np.dtype(settings.get("packed", {}).get(name, ["|u1"])[0])
        settings.setdefault("packed", {})[name] = [dtype.str, [body.size // dtype.itemsize]]
        header["__metadata__"]["header"] = spelt(settings)
    parts[name] = pack_array(body).tobytes()
    header[name]["shape"] = [len(parts[name])]
    return assembled(header, parts)


def edit_deflated(rng: random.Random, content: bytes) -> bytes:
    """Change what is inside a deflated array, or let few bytes unpack to many."""
    header, parts = taken_apart(content)
    settings = json.loads(header["__metadata__"]["header"])
    kinds = settings["state"]["values"]["deflated"]
    own = rng.choice(list(kinds))
    name, dtype = f"model.{own}", np.dtype(kinds[own][0])
    array = np.frombuffer(zlib.decompress(parts[name]), dtype).copy()
    if rng.random() < 0.2:
        array = np.zeros(rng.choice([2**17, 2**25]), dtype)
        kinds[own][1:] = [array.size]
    for _ in range(rng.choice([1, 1, 2, 8]) if array.size else 0):
        bend_value(rng, array)
    header["__metadata__"]["header"] = spelt(settings)
    parts[name] = zlib.compress(array.tobytes())
    header[name]["shape"] = [len(parts[name])]
    return assembled(header, parts)


def respell_number(rng: random.Random, content: bytes) -> bytes:
    """Spell a number of the settings differently: 7 as 7.0, 0.0 as -0.0, or as another number."""
    header, data = split(content)
    settings = header["__metadata__"]["header"]
    found = rng.choice(list(re.finditer(r"(?<=[ \[])-?\d+(\.\d+)?(e-?\d+)?(?=[,\]}])", settings)))
    ways = [f"{found[0]}.0", f"-{found[0]}", f"{found[0]}0", f"{found[0]}e300", "-0.0", "1e-320"]
    header["__metadata__"]["header"] = (
        settings[: found.start()] + rng.choice(ways) + settings[found.end() :]
    )
    return joined(header, data)


def change_version(rng: random.Random, content: bytes) -> bytes:
    """Call a file one of another version or kind, in one place or in both."""
    header, data = split(content)
    notes = header["__metadata__"]
    settings = json.loads(notes["header"])
    version = rng.choice([0, 1, 2, 3, 4, 5, -1, 10**9, 2**64])
    notes["format"] = str(version)
    if rng.random() < 0.8:
        settings["format"] = version
    if rng.random() < 0.2:
        settings["kind"] = notes["kind"] = rng.choice(["filter", "tallytext.model", ""])
    notes["header"] = spelt(settings)
    return joined(header, data)


BENDS = [
    *(flip, resize, edit_header, edit_settings, edit_settings, edit_settings, name_twice),
    *(edit_array, edit_array, disorder_array, exchange_arrays, resize_array, edit_json_array),
    *(edit_packed, edit_deflated, respell_number, change_version),
]


def bend_value(rng: random.Random, array: Any) -> None:
    at, dtype = rng.randrange(array.size), array.dtype
    if dtype.kind == "f":
        largest = np.finfo(dtype).max
        values = [0.0, -0.0, 1.0, -1.0, 0.5, math.nan, math.inf, -math.inf, largest, -largest]
        array[at] = rng.choice([*values, np.finfo(dtype).smallest_subnormal, -array[at]])
        return
    limits = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
    near = [int(array[at]) + step for step in (-1, 1, 97)]
    wanted = rng.choice([0, 1, limits.min, limits.max, limits.max // 2, *near])
    # Through the bytes of it, since a truth value may be a byte beyond 1.
    raw = array.view(np.uint8) if dtype.kind == "b" else array
    raw[at] = min(max(wanted, limits.min), limits.max)


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


def taken_apart(content: bytes) -> tuple[Any, dict[str, bytes]]:
    """Return the header, and the bytes of each array."""
    header, data = split(content)
    entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
    return header, {name: data[slice(*entry["data_offsets"])] for name, entry in entries.items()}


def assembled(header: Any, parts: dict[str, bytes]) -> bytes:
    """Return a file of these arrays, one after the other."""
    at, blocks = 0, []
    for name in sorted(parts, key=lambda name: header[name]["data_offsets"]):
        header[name]["data_offsets"] = [at, at + len(parts[name])]
        at += len(parts[name])
        blocks.append(parts[name])
    return joined(header, b"".join(blocks))


def unpacked(part: bytes) -> Any:
    """Return the body of a packed array, or None if it is none."""
    if len(part) < 9 or part[0] not in (0, 1):
        return None
    try:
        size = int.from_bytes(part[1:9], "little")
        return unpack_array(np.frombuffer(part, np.uint8), np.uint8, (size,))
    except (TallytextError, MemoryError):
        return None


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
