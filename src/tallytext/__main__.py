"""Run the command line interface: ``python -m tallytext`` is ``tally``."""

from tallytext.cli import main

main()
