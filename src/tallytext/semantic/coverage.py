"""How much of other texts a translation model knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """How many of some things are known, different ones and all of them.

    Attributes
    ----------
    n_different, n_known : int
        Different ones, and those of them that are known.
    n_all, n_all_known : int
        With each as often as it occurs.
    """

    n_different: int
    n_known: int
    n_all: int
    n_all_known: int


@dataclass(frozen=True)
class Coverage:
    """How much of some texts, or of some names, a translation model knows.

    Attributes
    ----------
    words : Known
        Words that rows can bring: those of the model's vocabulary.
    signatures : Known
        Signatures of the model's kinds, and those of them that have a row.
    n_documents, n_documents_known : int
        Documents, and those with a signature that has a row.

    Examples
    --------
    >>> print(Coverage(Known(200, 150, 1000, 900), Known(20, 5, 80, 60), 10, 9))
    known of      different                 all
      words             200   75.0 %      1,000   90.0 %
      signatures         20   25.0 %         80   75.0 %
      documents          10   90.0 %
    """

    words: Known
    signatures: Known
    n_documents: int
    n_documents_known: int

    def __str__(self) -> str:
        lines = [_line("words", self.words), _line("signatures", self.signatures)]
        if self.n_documents:
            share = _share(self.n_documents_known, self.n_documents)
            lines.append(["  documents", f"{self.n_documents:,}", share, "", ""])
        return "\n".join(map(_laid_out, [["known of", "different", "", "all", ""], *lines]))


def _line(name: str, known: Known) -> list[str]:
    different = [f"{known.n_different:,}", _share(known.n_known, known.n_different)]
    return [f"  {name}", *different, f"{known.n_all:,}", _share(known.n_all_known, known.n_all)]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}".replace("%", " %") if whole else "-"


def _laid_out(line: list[str]) -> str:
    name, *others = line
    widths = (9, 7, 9, 7)
    return "".join([f"{name:<12}", *map("  {:>{}}".format, others, widths)]).rstrip()
