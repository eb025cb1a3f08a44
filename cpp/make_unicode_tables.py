"""Write the Unicode tables of this Python as a C++ header."""

import pathlib
import sys

pathlib.Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
pathlib.Path(sys.argv[1]).write_text("#pragma once\n")
