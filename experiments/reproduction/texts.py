"""Texts as several papers prepare them: posts without headers, documents of one label."""

from __future__ import annotations

from dataclasses import replace

from tallytext.io import Corpus


def single_labels(corpus: Corpus) -> Corpus:
    """Return the documents that have one label, which is no list any more.

    Examples
    --------
    >>> corpus = Corpus("news", ["a", "b"], [["corn"], ["corn", "oil"]], ["1", "2"], ["", ""])
    >>> single_labels(corpus).texts, single_labels(corpus).labels
    (['a'], ['corn'])
    """
    if not corpus.multi_label:
        return corpus
    kept = corpus.where(len(given) == 1 for given in corpus.labels)
    return replace(kept, labels=[given[0] for given in kept.labels])


def subject_and_body(post: str) -> str:
    """Return a post without the headers that give its group away: its subject, and its body.

    Examples
    --------
    >>> subject_and_body("Newsgroups: sci.space\\nSubject: Mars\\n\\nIs it red?")
    'Mars\\nIs it red?'
    """
    head, _, body = post.partition("\n\n")
    subjects = (line for line in head.splitlines() if line.lower().startswith("subject:"))
    return next(subjects, "subject:")[len("subject:") :].strip() + "\n" + body
