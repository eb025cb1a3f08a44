"""The native core of tallytext."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class TextsBase:
    pass

class Texts(TextsBase):
    """A batch of documents, read where they lie."""

    def __len__(self) -> int: ...

    @staticmethod
    def from_strings(arg: Sequence, /) -> Texts: ...

class Vocabulary:
    """Term to id and back, append-only."""

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, arg: Vocabulary, /) -> None: ...

    def __len__(self) -> int: ...

    def add(self, arg: Sequence, /) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ids(self, arg: Sequence, /) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @overload
    def terms(self) -> list: ...

    @overload
    def terms(self, arg: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> list: ...

    def merge(self, arg: Vocabulary, /) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def sorted(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def arena(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def lengths(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @staticmethod
    def from_arrays(arg0: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Vocabulary: ...
