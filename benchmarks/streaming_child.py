"""One ``tally`` command in a fresh process: writes the peak of its memory in bytes to a file.

Run by the streaming benchmark, as ``python -m benchmarks.streaming_child FILE COMMAND ...``. What
the parent of a process took at its time must not count, so the process asks for itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.memory_child import peak
from tallytext.cli import main

if __name__ == "__main__":
    result = Path(sys.argv[1])
    sys.argv[:2] = ["tally"]
    try:
        main()
    finally:
        result.write_text(str(peak()))
