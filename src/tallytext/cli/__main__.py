"""``python -m tallytext.cli`` is ``tally``."""

from tallytext.cli import main

main()
