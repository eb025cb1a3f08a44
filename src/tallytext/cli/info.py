"""``tally info``: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tallytext.cli import options
from tallytext.cli.console import print_json, results
from tallytext.cli.models import load


def info(model: options.Model, as_json: options.Json = False) -> None:
    """Show what a model is, how it was chosen, how far it can be trusted, and its file.

    \b
    tally info mails.tally
    tally info mails.tally --json | jq .score
    """
    report = load(model).report()
    facts = facts_of(model)
    if as_json:
        print_json({"model": str(model), "file": facts, **report.to_dict()})
        return
    console = results()
    console.print(str(report))
    console.print("\n".join(f"  {name:<12} {value}" for name, value in facts.items()))


def facts_of(path: Path) -> dict[str, Any]:
    """Return what is to be known of a file."""
    return {"bytes": path.stat().st_size}
