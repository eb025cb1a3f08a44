"""Damaged and hostile files through everything that reads them: ``make fuzz``.

Each round bends a saved file: bytes, lengths, numbers of the header, values of arrays. Half of them
get their checksums computed anew, so that what lies behind has to stand on its own. A file must be
refused with an error of tallytext, or be read as something that works; a crash is caught by the
sanitizers, and memory by what the process has used in the end.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tallytext import BernoulliNB, MultinomialNB, Plane, PoissonNB, Tally, TextVectorizer
from tallytext.bayes.stored import model_from, state_of
from tallytext.errors import TallytextError
from tallytext.settings import estimator_from, settings_of
from tallytext.smoothing import AbsoluteDiscount
from tallytext.storage import load_arrays, save_arrays
from tallytext.storage.checksums import array_checksum, header_checksum

TEXTS = ["salt wave wave", "a blue cloud", "the sun and the sea", "naïve blue", "wave sea salt"]
LABELS = ["sea", "sky", ["sea", "sun"], [], "sea"]
MOST_MEMORY = 512 * 2**20  # the sanitizers keep what was freed for a while
HOSTILE: list[Any] = [
    None, True, 0, -1, 1, 7, 255, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63), 2**64, 10**40,
    0.5, -1e308, "", "x", "I8", "F64", "l2", [], [0], [2**62, 2**62], {}, {"kind": "x"},
    {"tuple": [1]}, {"float": "inf"}, {"mapping": [["sea", 0.5]]}, {"pattern": ["(a+)+", 0]},
]  # fmt: skip


class MismatchError(Exception):
    """A file that should have been refused, or was read as what it is not."""


@dataclass(frozen=True)
class Subject:
    """A kind of file: one that is whole, how it is read, and what it says."""

    content: bytes
    load: Callable[[Path], Any]
    use: Callable[[Any], Any]


def model_file(path: Path, model: Any) -> Subject:
    """Write a file with all that a model is: counts, settings and state."""
    model.multi_label_ = True
    planes = [each for each in model._columns(1.0, weighted=False) if isinstance(each, Plane)]
    vectorizer = TextVectorizer(stop_words={"the"})
    tally = Tally.from_texts(TEXTS, LABELS, vectorizer=vectorizer, planes=planes)
    fitted = type(model).from_tally(tally, **model.get_params())
    arrays, header = tally.to_arrays()
    parts = {"tally": header, "model": settings_of(fitted), "state": state_of(fitted)}
    parts["vectorizer"] = settings_of(vectorizer)
    save_arrays(path, arrays, {"kind": "fuzz", "format": 1, **parts})
    return Subject(path.read_bytes(), load_model, use_model)


MODELS = [
    MultinomialNB.chi_contrast(),
    MultinomialNB(AbsoluteDiscount(), length_model=True),
    BernoulliNB(prior={"sea": 0.5, "sky": 0.25, "sun": 0.25}),
    PoissonNB(per_class={"sea": ("chi", 0.5), "sun": (None, 1.0)}, class_weight={"sky": 2.0}),
]


def load_model(path: Path) -> Any:
    arrays, header = load_arrays(path, "fuzz")
    if not header.keys() >= {"tally", "model", "state", "vectorizer"}:
        raise TallytextError("a part is missing")
    if not isinstance(header["tally"], dict):
        raise TallytextError("this is no tally")
    tally = Tally.from_arrays(arrays, header["tally"])
    vectorizer, model = estimator_from(header["vectorizer"]), estimator_from(header["model"])
    if not isinstance(vectorizer, TextVectorizer) or isinstance(model, TextVectorizer):
        raise TallytextError("these are other estimators")
    vectorizer.vocabulary_ = tally.vocabulary
    return vectorizer, model_from(model, tally, header["state"])


def use_model(loaded: Any) -> Any:
    vectorizer, model = loaded
    tally = model.tally_
    expect(Tally.from_arrays(*tally.to_arrays()) == tally, "a tally does not come back")
    expect((tally + tally) - tally == tally, "a tally does not add")
    X = vectorizer.transform(TEXTS)
    with np.errstate(all="ignore"):
        scores = model.scores(X) if len(model.classes_) else np.zeros(0)
    expect(not np.isnan(scores).any(), "a score is not a number")
    return tally.classes, list(tally.vocabulary), scores.tolist()


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise MismatchError(what)


# ---------------------------------------------------------------------- bending a file


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
    replace_somewhere(rng, header)
    return joined(header, data)


def edit_settings(rng: random.Random, content: bytes) -> bytes:
    header, data = split(content)
    settings = json.loads(header["__metadata__"]["header"])
    replace_somewhere(rng, settings)
    header["__metadata__"]["header"] = json.dumps(settings)
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


def bend_value(rng: random.Random, array: Any) -> None:
    limits, at = np.iinfo(array.dtype), rng.randrange(array.size)
    near = [int(array[at]) + step for step in (-1, 1, 97)]
    wanted = rng.choice([0, 1, limits.min, limits.max, limits.max // 2, *near])
    array[at] = min(max(wanted, limits.min), limits.max)


def replace_somewhere(rng: random.Random, tree: Any) -> None:
    """Put something hostile in the place of some value, or of its name."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = rng.choice(keys)
        inner = tree[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.15:
            break
        tree = inner
    way = rng.random()
    if way < 0.1:
        del tree[key]
    elif way < 0.2 and isinstance(tree, dict):
        tree[f"{key}x"] = tree.pop(key)
    else:
        tree[key] = nested(rng) if way > 0.97 else rng.choice(HOSTILE)


def nested(rng: random.Random) -> Any:
    deep: Any = 0
    for _ in range(rng.choice([10, 400])):
        deep = rng.choice([[deep], {"tuple": [deep]}])
    return deep


BENDS = [flip, resize, edit_header, edit_settings, edit_array, edit_array]


# ---------------------------------------------------------------------- the format, once more


def split(content: bytes) -> tuple[Any, bytes]:
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def joined(header: Any, data: bytes) -> bytes:
    spelt = json.dumps(header).encode()
    spelt += b" " * (-len(spelt) % 8)
    return len(spelt).to_bytes(8, "little") + spelt + data


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


# ---------------------------------------------------------------------- rounds


def bent_file(rng: random.Random, content: bytes) -> tuple[bytes, bool]:
    """Return a file that someone has bent, and whether its checksums are those of what it is."""
    for _ in range(rng.choice([1, 1, 1, 3])):
        try:
            content = rng.choice(BENDS)(rng, content)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            break  # bent too much to be bent again
    seal = rng.random() < 0.5
    return (sealed(content) if seal else content), seal


def try_file(subject: Subject, path: Path, whole: Any, resealed: bool) -> bool:
    """Read a file; return whether it was taken for one."""
    try:
        loaded = subject.load(path)
    except TallytextError:
        return False
    try:
        found = subject.use(loaded)
    except TallytextError:
        found = None
    expect(resealed or found == whole, "damage was not found")
    return True


def fuzz(files: int, seed: int, report: Callable[[str], None] = print) -> int:
    """Try so many files; return how many of them could be read."""
    with tempfile.TemporaryDirectory() as folder:
        path, taken = Path(folder) / "bent", 0
        subjects = [model_file(path, model) for model in MODELS]
        whole = [use_whole(subject, path) for subject in subjects]
        before = memory()
        for round in range(files):
            at = round % len(subjects)
            content, resealed = bent_file(random.Random(f"{seed}/{round}"), subjects[at].content)
            path.write_bytes(content)
            try:
                taken += try_file(subjects[at], path, whole[at], resealed)
            except Exception as problem:
                raise MismatchError(f"file {round} of seed {seed}: {problem!r}") from problem
            if round % 1000 == 999:
                report(f"{round + 1:,} files, {taken:,} of them read")
        expect(memory() - before < MOST_MEMORY, f"{memory() - before:,} bytes were used")
    return taken


def use_whole(subject: Subject, path: Path) -> Any:
    path.write_bytes(subject.content)
    return subject.use(subject.load(path))


def memory() -> int:
    """Return the most memory that this process has ever used."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        taken = fuzz(arguments.files, arguments.seed)
    except MismatchError:
        traceback.print_exc()
        sys.exit(1)
    print(f"{arguments.files:,} files, {taken:,} of them read, nothing found.")


if __name__ == "__main__":
    main()
