"""Few labels per class and much text without: what each method makes of it.

Run ``python -m experiments.few_labels``. From the training half of a corpus k documents of each
class are drawn that have labels; all others are text without labels. At most 3,000 documents of the
test half are judged.
"""
