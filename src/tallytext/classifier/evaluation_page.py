"""The HTML page of an evaluation: figures, confusions, and wrong documents with marked words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from tallytext.classifier.mistakes import Mistake
from tallytext.decision.evidence import html_words, leading_words, mark_text
from tallytext.evaluation.confusion_table import MAX_MATRIX_CLASSES, confusion_table
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.reliability import reliability_diagram
from tallytext.evaluation.report import (
    ConfidenceLevel,
    EvaluationReport,
    confidence_heads,
    small_class_note,
)
from tallytext.io.report_page import Section, figure, html_table, report_page
from tallytext.io.svg import PlotArea, element, polyline, svg_drawing, text, tooltip

if TYPE_CHECKING:
    from tallytext.decision.explanation import Explanation

MAX_PAGE_MISTAKES = 500
"""The largest number of wrong documents on a page."""

_AREA, _WIDTH, _HEIGHT = PlotArea(56, 44, 480, 220, digits=1), 560, 324


@dataclass(frozen=True)
class EvaluationPage:
    """The content of a page.

    Attributes
    ----------
    evaluation : Evaluation
    report : EvaluationReport
        Its report, with the classes in the order of the page.
    mistakes : sequence of (Mistake, Explanation or None)
        Wrong documents, the most confident first.
    n_wrong : int
        The number of all wrong documents.
    about : mapping of str to str
        Where the figures come from, for the header.
    """

    evaluation: Evaluation
    report: EvaluationReport
    mistakes: Sequence[tuple[Mistake, Explanation | None]]
    n_wrong: int
    about: Mapping[str, str]

    def to_html(self) -> str:
        """Return the page, which needs nothing from elsewhere."""
        n_classes = len(self.report.classes)
        return report_page(
            "Evaluation",
            f"{self.report.n_documents:,} documents, {n_classes:,} classes",
            [
                _summary(self.report, self.n_wrong),
                _confidence(self.report),
                _classes(self.report),
                self._confusions(),
                self._reliability(),
                # Last, because it is long.
                self._mistakes(),
            ],
            self.about,
            _STYLE,
            _SCRIPT,
        )

    def _mistakes(self) -> Section:
        if not self.mistakes:
            return None
        green, red = '<b class="p3">green</b>', '<b class="n3">red</b>'
        n = len(self.mistakes)
        shown = f"the {n:,} most confident are here" * (n < self.n_wrong)
        several = self.report.several_labels
        meaning = "for the label in question" if several else "for the wrong answer"
        about = (
            f"<p>{self.n_wrong:,} document{' is' if self.n_wrong == 1 else 's are'} wrong"
            f"{f'; {shown}' if shown else ''}. "
            f"Words on {green} count {meaning}, words on {red} against it. "
            "A confident mistake is often a wrong label: correct it, and train again.</p>"
        )
        cards = "".join(_card(mistake, why) for mistake, why in self.mistakes)
        return "wrong", "Wrong documents", f'{about}{_TOOLS}<div id="cards">{cards}</div>'

    def _confusions(self) -> Section:
        if not self.report.confusions:
            return None
        several = self.report.several_labels
        rows = [
            [escape(str(each.truth)), escape(str(each.predicted)), f"{each.n_documents:,}"]
            for each in self.report.confusions
        ]
        only = " (documents with one label and one predicted label)" * several
        content = f"<p>The most frequent confusions{only}.</p>"
        content += html_table(
            "Confusions",
            ["true label", "predicted label", "documents"],
            rows,
            "plain named sortable",
        )
        if len(self.report.classes) <= MAX_MATRIX_CLASSES and not several:
            content += (
                "<p>A row for each true label, a column for each predicted label. Blue is right, "
                "orange is wrong; the darker a cell, the larger its share of the row.</p>"
            )
            content += confusion_table(self.evaluation)
        return "confusions", "Confusions", content

    def _reliability(self) -> Section:
        curve = self.evaluation.reliability
        if curve is None:
            return None
        about = (
            "<p>The accuracy of documents with similar probabilities. A dot below the dashed line "
            "means that these probabilities are too high. On average over the bins, probabilities "
            f"differ from the accuracy by <b>{curve.error:.1%}</b> (calibration error).</p>"
        )
        return (
            "calibration",
            "Can probabilities be trusted?",
            about + figure(reliability_diagram(curve)),
        )


def _summary(report: EvaluationReport, n_wrong: int) -> Section:
    low, high = report.interval
    lead = (
        f'<p class="lead">{report.measure[0].upper()}{report.measure[1:]} '
        f"<b>{report.score:.1%}</b> (95% interval {low:.1%} to {high:.1%}) "
        f"on {report.n_documents:,} documents, of which {n_wrong:,} "
        f"{'is' if n_wrong == 1 else 'are'} wrong. "
        f"Macro-F1, the mean over classes, is {report.macro_f1:.1%}.</p>"
    )
    warnings = []
    if report.n_learned:
        warnings.append(
            f"The model has learned {report.n_learned:,} of these {report.n_documents:,} "
            "documents, so the figures are too high."
        )
    if report.unknown_labels:
        listed = ", ".join(f"{label} ({n:,})" for label, n in report.unknown_labels[:10])
        warnings.append(f"Labels that the model does not know count as errors: {listed}.")
    shown = "".join(f'<p class="warning">{escape(each)}</p>' for each in warnings)
    return "summary", "Summary", lead + shown


def _confidence(report: EvaluationReport) -> Section:
    if len(report.confidence) < 2:
        return None
    share, accuracy = confidence_heads(report)
    rows = [
        [
            f"{level.min_confidence:.2f}" if level.min_confidence else "all answers",
            f"{level.n_answers:,}",
            f"{level.share:.1%}",
            "" if level.accuracy is None else f"{level.accuracy:.1%}",
        ]
        for level in report.confidence
    ]
    about = (
        "<p>If labels below a probability are left out (<code>tally predict "
        "--min-confidence</code>), fewer documents get a label, and more of these labels are "
        "right.</p>"
    )
    table = html_table(
        "Accuracy by confidence", ["min. confidence", "answers", share, accuracy], rows, "plain"
    )
    drawing = figure(draw_confidence(report.confidence, share, accuracy))
    return "confidence", "Accuracy by confidence", about + table + drawing


def draw_confidence(levels: Sequence[ConfidenceLevel], share: str, accuracy: str) -> str:
    """Draw the share of answers and their accuracy against the smallest probability.

    Examples
    --------
    >>> levels = [ConfidenceLevel(0.5, 8, 1.0, 0.5), ConfidenceLevel(0.9, 4, 0.5, 1.0)]
    >>> draw_confidence(levels, "answered", "accuracy of these").count("<circle")
    6
    """
    last = max(len(levels) - 1, 1)
    xs = [_AREA.x(0.03 + 0.94 * at / last) for at in range(len(levels))]
    parts = []
    for at in range(6):
        y = _AREA.y(at / 5)
        parts += [_AREA.horizontal_line(y), _AREA.y_tick(y, f"{at / 5:.0%}", 6)]
    for x, level in zip(xs, levels, strict=True):
        name = f"{level.min_confidence:g}" if level.min_confidence else "all"
        parts.append(_AREA.x_tick(x, name))
    given = [(x, level.share) for x, level in zip(xs, levels, strict=True)]
    right = [(x, each.accuracy) for x, each in zip(xs, levels, strict=True)]
    parts += _curve("ahead", "guess", given)
    parts += _curve("line learned", "point", [(x, y) for x, y in right if y is not None])
    parts += _legend("ahead", "guess", share, 0) + _legend("line learned", "point", accuracy, 0.4)
    parts += [_AREA.frame(), _AREA.x_title("smallest probability of a label", 40)]
    listed = "; ".join(f"{each.min_confidence:g}: {each.share:.1%}" for each in levels)
    return svg_drawing(parts, _WIDTH, _HEIGHT, f"{share} and {accuracy} by confidence; {listed}")


def _curve(kind: str, dot: str, points: Sequence[tuple[float, float]]) -> Iterable[str]:
    if not points:
        return
    yield element("path", class_=kind, d=polyline((x, _AREA.y(y)) for x, y in points))
    for x, y in points:
        yield element("circle", tooltip(f"{y:.1%}"), class_=dot, cx=x, cy=_AREA.y(y), r=4)


def _legend(kind: str, dot: str, name: str, left: float) -> list[str]:
    """Return a sample of a line and its name, above the plot."""
    x, y = _AREA.x(left), _AREA.top - 22
    return [
        element("path", class_=kind, d=polyline([(x, y), (x + 28, y)])),
        element("circle", class_=dot, cx=x + 14, cy=y, r=4),
        text(name, class_="entry", x=x + 36, y=y + 4),
    ]


def _classes(report: EvaluationReport) -> Section:
    rows = [
        [
            escape(str(each.label)),
            f"{each.support:,}",
            f"{each.precision:.3f}",
            f"{each.recall:.3f}",
            f"{each.f1:.3f}",
        ]
        for each in report.classes
    ]
    heads = ["class", "documents", "precision", "recall", "F1"]
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in small_class_note(report))
    about = (
        "<p>Precision: the share of documents with this predicted label that have it. Recall: the "
        "share of documents with this label that were predicted to have it.</p>"
    )
    table = html_table("Classes", heads, rows, "plain sortable")
    return "classes", "Classes", about + table + notes


def _card(mistake: Mistake, why: Explanation | None) -> str:
    """Return a wrong document: its place, its labels, the words that misled, and its text."""
    ids = "".join(
        f", {escape(str(name))} {escape(str(value))}" for name, value in mistake.ids.items()
    )
    place = f"{escape(mistake.file)}, row {escape(str(mistake.row))}{ids}"
    words = html_words(leading_words(why))
    return (
        f'<article data-n="{mistake.number}" data-p="{mistake.probability:.6f}" '
        f'data-label="{_attribute(mistake.label)}" data-answer="{_attribute(mistake.predicted)}">'
        f"<p>{_labels(mistake)} <small>{place}</small></p>"
        f"{words}{mark_text(mistake.text, why)}</article>"
    )


def _labels(mistake: Mistake) -> str:
    if isinstance(mistake.predicted, list):
        parts = [("missing", mistake.missing), ("not true", mistake.extra)]
        shown = [f"{name} <b>{escape(_names(some))}</b>" for name, some in parts if some]
        return f"{', '.join(shown)} ({mistake.probability:.1%})"
    return (
        f"labelled <b>{escape(str(mistake.label))}</b> ({mistake.label_probability:.1%}), "
        f"predicted <b>{escape(str(mistake.predicted))}</b> ({mistake.probability:.1%})"
    )


def _names(labels: Sequence[Any]) -> str:
    return ", ".join(map(str, labels))


def _attribute(label: Any) -> str:
    return escape(_names(label) if isinstance(label, list) else str(label))


_TOOLS = """<p class="tools"><label>Search <input type="search" id="find"
placeholder="a word, a label, an id"></label> <label>Sort <select id="order">
<option value="p">most confident first</option><option value="n">in the order of the input</option>
<option value="label">by true label</option><option value="answer">by predicted label</option>
</select></label> <output id="found"></output></p>"""

_STYLE = """
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; align-items: baseline }
.tools input, .tools select { font: inherit; color: inherit; background: var(--raised);
  border: 1px solid var(--quiet); border-radius: 6px; padding: 0.25rem 0.5rem; max-width: 100% }
.tools output { color: var(--quiet); font-size: 0.87em }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer }
th button::after { content: " ↕"; opacity: 0.55 }
th[aria-sort=ascending] button::after { content: " ↑"; opacity: 1 }
th[aria-sort=descending] button::after { content: " ↓"; opacity: 1 }
.drawing .entry { fill: var(--quiet) }
"""

_SCRIPT = """
(function () {
  "use strict";
  var cards = document.getElementById("cards");
  if (cards) {
    var all = Array.prototype.slice.call(cards.children);
    var find = document.getElementById("find"), order = document.getElementById("order");
    var texts = all.map(function (each) { return each.textContent.toLowerCase(); });
    var search = function () {
      var wanted = find.value.toLowerCase(), n = 0;
      all.forEach(function (each, at) {
        each.hidden = texts[at].indexOf(wanted) < 0;
        n += each.hidden ? 0 : 1;
      });
      document.getElementById("found").textContent = wanted ? n + " of " + all.length : "";
    };
    var sort = function () {
      var key = order.value, numeric = key === "p" || key === "n";
      all.slice().sort(function (a, b) {
        if (!numeric && a.dataset[key] !== b.dataset[key]) {
          return a.dataset[key] < b.dataset[key] ? -1 : 1;
        }
        if (key !== "n" && a.dataset.p !== b.dataset.p) { return b.dataset.p - a.dataset.p; }
        return a.dataset.n - b.dataset.n;
      }).forEach(function (each) { cards.appendChild(each); });
    };
    find.addEventListener("input", search);
    order.addEventListener("change", sort);
  }
  var value = function (row, at) {
    var text = row.children[at].textContent, number = parseFloat(text.replace(/,/g, ""));
    return isNaN(number) ? text : number;
  };
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = table.tHead.rows[0].children, body = table.tBodies[0];
    Array.prototype.forEach.call(heads, function (head, at) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        Array.prototype.forEach.call(heads, function (each) { each.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        var text = head.cellIndex === 0 || head.textContent.indexOf("label") >= 0;
        Array.prototype.slice.call(body.rows).sort(function (a, b) {
          var x = text ? a.children[at].textContent : value(a, at);
          var y = text ? b.children[at].textContent : value(b, at);
          return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  });
}());
"""
