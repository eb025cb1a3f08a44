"""Writes the pages of all papers anew, from the results that are there: no measuring."""

from experiments.reproduction import overview, page
from experiments.reproduction.command import DOCS, PAPERS, paper_of
from experiments.reproduction.store import results_in


def main() -> None:
    """Write the pages, and say where."""
    papers = [paper_of(name) for name in PAPERS]
    for paper in papers:
        print(page.write(paper, results_in(paper.results), DOCS))
    overview.write(papers, DOCS)


if __name__ == "__main__":
    main()
