"""Names of parameters in the names of tests: the same in every process."""

import re


def name_of(value):
    """The value in words, without the address of an object."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
