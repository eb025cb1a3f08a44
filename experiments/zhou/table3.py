"""Table 3: phrases against words as signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou import five_percent
from experiments.zhou.corpora import TITLES
from experiments.zhou.five_percent import KINDS
from experiments.zhou.trials import paired

HEADING = "Table 3: phrases (CSSS) against words (CISS)"
ABOUT = """The same samples and settings as in Table 2. CISS uses single words as signatures, CSSS
phrases. On OHSUMED the paper's CSSS uses UMLS concepts; here it uses phrases. Table 1 has the
number of phrases per document on each corpus."""


def measure(work: Workplace) -> dict[str, Any]:
    """Judge by both."""
    return {"f1": five_percent.measured(work)}


def show(found: Record) -> Iterator[Any]:
    """Put ours above what was printed."""
    columns = five_percent.columns(("CISS", "CSSS"), ("change",))
    yield Table("F1", ("", *columns), five_percent.rows(found.f1, ("ciss", "csss"), "csss"))
    rows = [
        (TITLES[name], *(paired(result.csss[kind], result.ciss[kind]) for kind in KINDS))
        for name, result in found.f1.items()
    ]
    yield Table("Gain of CSSS over CISS, in points", ("", *KINDS), rows)
