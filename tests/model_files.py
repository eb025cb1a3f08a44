"""A model file of each version of the format, and what it said when it was written.

``python tests/model_files.py`` writes the file of the present version, and the answers beside it.
"""

import json
import warnings
from pathlib import Path

from tallytext import TextClassifier, TextVectorizer
from tallytext.classifier.model_file import FORMAT
from tallytext.errors import StaleWarning

FOLDER = Path(__file__).parent / "files"
QUERIES = ["salt wave", "a blue cloud over the hill", "naïve", ""]
# Facts of a report, which its wording does not change.
REPORTED = {
    *("learner", "setting", "several", "n_documents", "n_classes", "n_terms", "n_tokens", "score"),
    *("n_evaluated", "method", "changes", "duplicates", "is_stale", "thresholds", "trials"),
}
WORDS = {"sea": "salt wave ship", 7: "cloud blue wind", 0.5: "tree road hill"}


def corpus():
    """Documents of labels of several types, with one label, two or none."""
    texts, labels = ["nothing of note"], [[]]
    names = list(WORDS)
    for at in range(24):
        own, other = names[at % 3], names[at // 3 % 3]
        texts.append(f"{WORDS[own]} {WORDS[other].split()[at % 2]} the naïve {at}")
        labels.append([own] if at % 4 else list(dict.fromkeys([own, other])))
    return texts, labels


def classifier():
    """A classifier with some of everything that a file can hold."""
    vectorizer = TextVectorizer(stop_words={"the", "of"}, ngram_range=(1, 2))
    made = TextClassifier("chi-contrast", vectorizer=vectorizer).fit(*corpus())
    return made.learn(["a new word of the sea"], [["sea", "new"]])


def answers(made):
    """What a classifier says, as JSON has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleWarning)
        told = json.loads(json.dumps(made.report().to_dict()))
        return {
            "classes": made.classes_.tolist(),
            "terms": list(made.tally_.vocabulary),
            "tokens": made.tally_.class_tokens.tolist(),
            "scores": made.scores(QUERIES).tolist(),
            "probabilities": made.predict_proba(QUERIES).tolist(),
            "labels": made.predict(QUERIES).tolist(),
            "sets": made.predict_set(QUERIES, 0.8),
            "report": {name: value for name, value in told.items() if name in REPORTED},
        }


if __name__ == "__main__":
    made = classifier()
    made.save(FOLDER / f"model-{FORMAT}.tally")
    spelt = json.dumps(answers(made), indent=1, ensure_ascii=False)
    (FOLDER / f"model-{FORMAT}.json").write_text(spelt + "\n", encoding="utf-8")
