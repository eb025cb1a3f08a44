"""``tally info``: what a model file holds."""

from __future__ import annotations

from tallytext.cli import options
from tallytext.cli.console import print_json, results
from tallytext.cli.report_text import print_report


def info(model: options.Model, as_json: options.Json = False) -> None:
    """Show what a model is, and how far it can be trusted.

    The report of its training: what was tried and chosen, and what accuracy to expect; how many
    documents came and went since; and what the file was written by.

    \b
    tally info mails.tally
    tally info mails.tally --json | jq .score
    """
    from tallytext.classifier import TextClassifier
    from tallytext.classifier.model_file import load

    classifier = TextClassifier()
    header = load(classifier, model)
    report, size = classifier.report(), model.stat().st_size
    if as_json:
        file = {"bytes": size, "format": header["format"], "versions": header["versions"]}
        classes = classifier.classes_.tolist()
        print_json({"model": str(model), "file": file, "classes": classes, **report.to_dict()})
        return
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    print_report(report)
    console = results()
    console.print(f"  file         {size:,} bytes, format {header['format']}")
    console.print(f"  written by   {versions}", soft_wrap=True)
