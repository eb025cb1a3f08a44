"""Few labels per class and much text without: what each method makes of it.

Run ``python -m experiments.few_labels``. From the training half of a corpus k documents of each
class are drawn that have labels; all others are text without labels. At most 3,000 documents of
the test half are judged. With ``--results`` each result is kept in a file as it comes, so that a
run can be ended at any time and go on later; after a change of a method its lines there have to be
taken out.
"""
