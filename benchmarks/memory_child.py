"""One counting job in a fresh process: prints the peak of its extra memory in bytes.

Run by the memory benchmark, as ``python -m benchmarks.memory_child TEXTS JOB``; TEXTS has one JSON
string a line, read one by one so that loading them has no peak of its own.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


def count_vectorizer() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer()


def text_vectorizer(n_jobs: int) -> Any:
    from tallytext import TextVectorizer

    return TextVectorizer(n_jobs=n_jobs)


JOBS = {
    "CountVectorizer": count_vectorizer,
    "TextVectorizer, 1 thread": lambda: text_vectorizer(1),
    "TextVectorizer, 2 threads": lambda: text_vectorizer(2),
}


def main() -> None:
    path, job = sys.argv[1:]
    with Path(path).open() as lines:
        texts = [json.loads(line) for line in lines]
    # What is imported and set up on first use is not the job's.
    JOBS[job]().fit_transform(texts[:20])
    gc.collect()
    before = resident()
    vectorizer = JOBS[job]()
    result = vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
    print(peak() - before)
    del result


def resident() -> int:
    """Return the memory that this process holds now, in bytes."""
    if STATUS.exists():
        return _status("VmRSS")
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return 1024 * int(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def peak() -> int:
    """Return the most memory that this process ever held, in bytes."""
    # Linux carries ru_maxrss of the parent over into the new program; its own peak is here.
    if STATUS.exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _status(field: str) -> int:
    lines = STATUS.read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith(f"{field}:"))
    return 1024 * int(kilobytes)


if __name__ == "__main__":
    main()
