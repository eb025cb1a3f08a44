"""Files: whole or not at all, and never by running code from them.

What is saved as arrays is safetensors: a JSON header, then the bytes of the arrays. The header's
``kind`` says what was saved, so that one sort of file is never taken for another, and ``format``
how, so that a file of a newer release is known as such.
"""

from tallytext.storage.reading import is_arrays_file, load_arrays, unpack_arrays
from tallytext.storage.writing import pack_arrays, save_arrays, save_text

__all__ = [
    "is_arrays_file",
    "load_arrays",
    "pack_arrays",
    "save_arrays",
    "save_text",
    "unpack_arrays",
]
