"""Attack tallytext: ``make attack`` (half an hour), ``make attack QUICK=1`` (two minutes).

Each section runs in a process of its own, so that a crash, a hang or too much memory is that
section's finding. The table at the end has what was tried, how often, and what was found.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trial import Trial, whole_text


@dataclass(frozen=True)
class Section:
    """A module with a function ``attack(trial)``, and what it tries."""

    module: str
    tries: str
    #: Run by the Python of ``--sanitized``, if there is one.
    native: bool = False
    #: Needs the machine for itself.
    alone: bool = False

    @property
    def name(self) -> str:
        return self.module.removeprefix("attack_").replace("_", "-")


SECTIONS = [
    Section("attack_texts", "random texts through native and obvious analysis", native=True),
    Section("attack_arrays", "malformed arrays, matrices and sizes, everywhere", native=True),
    Section("attack_objects", "labels, texts and ids that raise at the n-th call", native=True),
    Section("attack_model_files", "damaged model files, with checksums made anew", native=True),
    Section("attack_load", "millions of documents, 100,000 classes, 500 MB in one", alone=True),
    Section("attack_outputs", "hostile texts, labels and names on terminals, in pages and tables"),
    Section(
        "attack_numbers", "counts, corpora and scores at the edge of what is possible", native=True
    ),
    Section("attack_files", "hostile archives and input files"),
    Section("attack_disk", "disks that are full, read-only or broken at each write"),
    Section("attack_kills", "commands killed at random moments and at each write"),
    Section("attack_writers", "processes that change one model at the same time"),
]


def attack_section(section: Section, seed: int, quick: bool) -> dict[str, Any]:
    """Run one section in this process."""
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        trial = Trial(Path(folder), seed, quick)
        importlib.import_module(section.module).attack(trial)
    return {"cases": trial.cases, "findings": trial.findings, "notes": dict(trial.notes)}


def attack_apart(section: Section, arguments: argparse.Namespace) -> dict[str, Any]:
    """Run one section in a process of its own; a process that fails is a finding."""
    python, environment = sys.executable, dict(os.environ)
    if section.native and arguments.sanitized:
        python = arguments.sanitized
        environment |= {
            "LD_PRELOAD": arguments.runtimes,
            "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        }
    command = [python, __file__, section.name, "--inside", "--seed", str(arguments.seed)]
    command += ["--quick"] * arguments.quick
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = code = os.waitstatus_to_exitcode(status)
        printed, errors = whole_text(out), whole_text(err)
    result: dict[str, Any] = {"cases": 0, "findings": [], "notes": {}}
    if code:
        result["findings"] = [f"{section.name} ended with {code}:\n{errors[-3000:]}"]
    else:
        result.update(json.loads(printed.splitlines()[-1]))
    unit = 1 if sys.platform == "darwin" else 1024
    return {**result, "seconds": time.monotonic() - begin, "memory": unit * usage.ru_maxrss}


def report(results: dict[str, dict[str, Any]], seconds: float, with_notes: bool) -> None:
    tries = {section.name: section.tries for section in SECTIONS}
    heads = f"{'cases':>9}{'findings':>10}{'seconds':>9}{'MiB':>7}"
    print(f"\n{'section':<14}{'what was tried':<66}" + heads)
    for name, result in results.items():
        numbers = f"{result['cases']:>9,}{len(result['findings']):>10,}{result['seconds']:>9.0f}"
        print(f"{name:<14}{tries[name]:<66}{numbers}{result['memory'] / 2**20:>7,.0f}")
    cases = sum(result["cases"] for result in results.values())
    findings = sum(len(result["findings"]) for result in results.values())
    print(f"{'all':<80}{cases:>9,}{findings:>10,}{seconds:>9.0f}\n")
    for name, result in results.items():
        for note, count in result["notes"].items() if with_notes else ():
            print(f"{name}: {note:<40}{count:>9,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = ", ".join(each.name for each in SECTIONS)
    parser.add_argument("sections", nargs="*", help=f"{names}; the default is all")
    parser.add_argument("--quick", action="store_true", help="a sample, in two minutes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sanitized", help="a Python whose tallytext is built with sanitizers")
    parser.add_argument("--runtimes", default="", help="the libraries that it preloads")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    named = {section.name: section for section in SECTIONS}
    if unknown := set(arguments.sections) - set(named):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(named)}")
    chosen = [named[name] for name in arguments.sections] or SECTIONS
    if arguments.inside:
        print(json.dumps(attack_section(chosen[0], arguments.seed, arguments.quick)))
        return
    begin, results = time.monotonic(), {}

    def one(section: Section) -> None:
        results[section.name] = result = attack_apart(section, arguments)
        told = f"{result['cases']:,} cases, {len(result['findings'])} findings"
        print(f"{section.name}: {told}, {result['seconds']:.0f} s", flush=True)
        print("".join(f"  {finding}\n" for finding in result["findings"]), end="", flush=True)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, [section for section in chosen if not section.alone]))
    for section in chosen:
        if section.alone:
            one(section)
    seconds = time.monotonic() - begin
    report({each.name: results[each.name] for each in chosen}, seconds, bool(arguments.sections))
    sys.exit(any(result["findings"] for result in results.values()))


if __name__ == "__main__":
    main()
