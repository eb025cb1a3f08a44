"""The native core of tallytext."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


def unicode_version() -> str: ...

class TextsBase:
    pass

class Texts(TextsBase):
    """A batch of documents, read in place."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the documents take."""

    def strings(self) -> list[str]:
        """
        Return the documents as the core reads them; a null is an empty string.
        """

    def fingerprints(self, n_threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """Return the fingerprint of each document, equal for equal texts."""

    def addresses(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """Return the address of each document in memory; 0 for a null."""

    def append_nulls(self, length: int) -> None: ...

    def append_offsets(self, offset: int, length: int, validity: object | None, offsets: object | None, data: object | None, width: int) -> None:
        """Append string or binary slots: `width` bytes to an offset."""

    def append_views(self, offset: int, length: int, validity: object | None, headers: object | None, data: list[object]) -> None:
        """Append string_view or binary_view slots."""

    def append_entries(self, offset: int, length: int, validity: object | None, indices: object | None, width: int, signed: bool, dictionary: Texts) -> None:
        """Append entries of a dictionary: `width` bytes to an index."""

    @staticmethod
    def from_strings(strings: Sequence[str | None]) -> Texts:
        """View the strings of a sequence; None and NaN are empty documents."""

    @staticmethod
    def from_rows(rows: object, width: int) -> Texts:
        """View rows of `width` code points of 4 bytes each, padded with NUL."""

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
    def fill_terms(self, arg: object, /) -> None: ...

    @overload
    def fill_terms(self, arg0: object, arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    def merge(self, arg: Vocabulary, /) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def locate(self, arg: Vocabulary, /) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def sorted(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ranks(self) -> dict[str, int]: ...

    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    def select(self, arg: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Vocabulary: ...

    def arena(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def lengths(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @staticmethod
    def from_arrays(arg0: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> Vocabulary: ...

class WordRules:
    """Rules that split text into words."""

    def __init__(self, python: bool, lowercase: bool, hangul_bigrams: bool, shortest: int) -> None: ...

class CharRules:
    """Rules that split text into character n-grams."""

    def __init__(self, inside_words: bool, lowercase: bool, shortest: int, longest: int) -> None: ...

class MixedRules:
    """Rules that split text into words and, in addition, character n-grams."""

    def __init__(self, words: WordRules, chars: CharRules) -> None: ...

CHAR_MARK: str = '#'

class NgramRange:
    """Shortest and longest n-gram of words."""

    def __init__(self, shortest: int, longest: int) -> None: ...

class AsTheyAre:
    """Rules for tokens that are used unchanged."""

    def __init__(self) -> None: ...

class TokenLists:
    """Tokens made in Python, document by document."""

    @staticmethod
    def from_lists(arg: Iterable, /) -> TokenLists: ...

    def __len__(self) -> int: ...

@overload
def count_terms(arg0: TextsBase, arg1: WordRules, arg2: Vocabulary, arg3: bool, arg4: NgramRange, arg5: int, arg6: bool, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_terms(arg0: TextsBase, arg1: CharRules, arg2: Vocabulary, arg3: bool, arg4: NgramRange, arg5: int, arg6: bool, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_terms(arg0: TextsBase, arg1: MixedRules, arg2: Vocabulary, arg3: bool, arg4: NgramRange, arg5: int, arg6: bool, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def count_terms(arg0: TokenLists, arg1: AsTheyAre, arg2: Vocabulary, arg3: bool, arg4: NgramRange, arg5: int, arg6: bool, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

@overload
def stream_terms(arg0: TextsBase, arg1: WordRules, arg2: Vocabulary, arg3: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

@overload
def stream_terms(arg0: TextsBase, arg1: CharRules, arg2: Vocabulary, arg3: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

@overload
def stream_terms(arg0: TextsBase, arg1: MixedRules, arg2: Vocabulary, arg3: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

@overload
def stream_terms(arg0: TokenLists, arg1: AsTheyAre, arg2: Vocabulary, arg3: int, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def count_analysed(arg0: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg3: Vocabulary, arg4: bool, arg5: Vocabulary, arg6: bool, arg7: NgramRange, arg8: int, arg9: bool, /) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

BREAK: str = '\n'

def stream_broken(texts: TextsBase, rules: WordRules, vocabulary: Vocabulary, n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Return the words of each document, as stream_terms does, with BREAK between those that are no neighbours.
    """

def token_spans(text: str, rules: WordRules) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Return the start and end of each word of a text, in code points and in the order of stream_terms.
    """

class Recipe:
    """Contribution of a document to a plane."""

    def __init__(self, tf: int, norm: int, theta: float, weighted: bool, shared: bool) -> None: ...

class Refusal:
    """The sums that would remain and are impossible."""

    @property
    def term(self) -> int: ...

    @property
    def label(self) -> int: ...

    @property
    def left(self) -> list[int]: ...

class Change:
    """Sums over documents, to add to a tally or to subtract from it."""

    @staticmethod
    def of_documents(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], recipes: Sequence[Recipe], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Change: ...

    @staticmethod
    def of_arrays(n_planes: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], term_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_documents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_scales: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], whole: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Change: ...

    def masked(self, kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Change: ...

def row_of_dict(vocabulary: Vocabulary, counts: dict) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None: ...

def check_compressed(starts: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], n_values: int, n_rows: int, width: int, row: str = 'row', column: str = 'column') -> None:
    """
    Raise an error unless the arrays of a sparse matrix fit together, and its shape.
    """

MAX_TERMS: int = 268435456

def rows_are_clean(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, n_threads: int = 1) -> bool: ...

def number_labels(labels: list[Any], numbers: dict[Any, int], names: list[Any]) -> numpy.typing.NDArray[numpy.int32] | None:
    """
    Number labels, each a str, an int or a list of one of these; None if there are others.
    """

class Tally:
    """Sums per (term, class), per term, per class and in total."""

    @overload
    def __init__(self, n_planes: int, smallest_delta: int) -> None: ...

    @overload
    def __init__(self, other: Tally) -> None: ...

    def apply(self, change: Change, sign: int, n_terms: int, n_classes: int) -> Refusal | None: ...

    def reshaped(self, term_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], class_map: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leave: bool = False) -> Change: ...

    def with_planes(self, planes: Sequence[int]) -> Change: ...

    def equals(self, change: Change) -> bool: ...

    def cells(self, column: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

    def counts_of_counts(self, pooled: bool) -> dict[int, int]: ...

    def term_totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def class_totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def class_scales(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def class_documents(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def class_terms(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def scales(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def n_documents(self) -> int: ...

    @property
    def n_several(self) -> int: ...

    @property
    def n_unlabelled(self) -> int: ...

    @property
    def n_live_terms(self) -> int: ...

    @property
    def n_cells(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def n_delta(self) -> int: ...

    @property
    def version(self) -> int: ...

    def slice(self, columns: Sequence[int], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> TallySlice: ...

    def small_counts(self, pooled: bool) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class TallySlice:
    """Consistent copy of columns of a tally."""

    @property
    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def classes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def values(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), writable=False)]: ...

    @property
    def documents(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def term_totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), writable=False)]: ...

    @property
    def term_documents(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def class_totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), writable=False)]: ...

    @property
    def class_scales(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), writable=False)]: ...

    @property
    def class_documents(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def class_terms(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def class_document_terms(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def scales(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def n_documents(self) -> int: ...

    @property
    def n_live_terms(self) -> int: ...

    @property
    def n_document_terms(self) -> int: ...

    @property
    def n_tokens(self) -> int: ...

    @property
    def n_several(self) -> int: ...

    @property
    def n_unlabelled(self) -> int: ...

    @property
    def version(self) -> int: ...

@overload
def score_sparse(doc_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], common: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

@overload
def score_sparse(doc_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], common: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def top_sparse(doc_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], common: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]: ...

@overload
def top_sparse(doc_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], common: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]: ...

@overload
def add_rows(doc_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None: ...

@overload
def add_rows(doc_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], doc_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None: ...

def sparse_times(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Multiply a sparse matrix by a dense one."""

def own_cells(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], post_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Return the cell of each label and term of each document, or -1."""

def left_out_gains(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], exponents: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], post_classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ratios: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tops: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], absent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], freed: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """Write the leave-one-out gain of each document and class."""

class DualDescent:
    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, costs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, n_threads: int) -> None: ...

    def place(self, first: int, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def agreement(self) -> tuple[float, float]: ...

    def start(self, factor: float, bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def resume(self, duals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def sweep(self, seed: int) -> None: ...

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

    def bias(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

    def duals(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

class LiveDescent:
    def __init__(self, scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], new_scale: float, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int) -> None: ...

    def __len__(self) -> int: ...

    def fill(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], duals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def learn(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], new_classes: Sequence[float], n_steps: int) -> None: ...

    def forget(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_steps: int) -> bool: ...

    def scores(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

    def holds(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]: ...

    def documents(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]: ...

    def weights(self) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None, None))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

def row_hashes(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

def unit_scores(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

class InvertedIndex:
    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_terms: int) -> None: ...

    @property
    def n_documents(self) -> int: ...

    @property
    def n_terms(self) -> int: ...

    def nearest(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]: ...

    def pairs(self, least: float, first: int, last: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def count_pairs(self, n_bins: int, first: int, last: int, n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class Translation:
    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], signature_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], signatures: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_signatures: int) -> None: ...

    @property
    def n_signatures(self) -> int: ...

    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def rows(self, first: int, last: int, *, beta: float, exact: bool, n_steps: int, trim: bool, least: float, most: int, min_df: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

class PhraseTree:
    """Trie of phrases, which finds them in streams of word ids."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int) -> None: ...

    def __len__(self) -> int: ...

    def count(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Return rows of counts of the longest matches from left to right, phrase p in columns[p].
        """

    def join(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Return the streams with each match of phrase p replaced by the word n_words + p.
        """

    def occurrences(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Return the number of occurrences of each phrase, including overlaps."""

def count_word_pairs(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], min_count: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]:
    """
    Return the pairs of neighbours that come often enough, in order: first words, second words, counts; and how many different pairs there are in all.
    """

class WordPlaces:
    """Positions of each word in streams of word ids."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int) -> None: ...

    def histograms(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], window: int, least: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return (word, collocate, counts at each offset) of those that stand together often enough, and for each word the number of all its collocates, the sum and the sum of squares of their counts.
        """

    def align(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], collocates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Return how often each collocation is found, and the most frequent word at each offset up to reach from its first word, with its count.
        """
