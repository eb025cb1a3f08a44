"""A classifier as a file, or as bytes: counts, settings, calibration; no code."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from sklearn.utils.validation import check_is_fitted

from tallytext.classifier import model_file
from tallytext.classifier.base import ClassifierBase


class Storing(ClassifierBase):
    """Writes itself to files and reads itself from them."""

    def save(self, path: str | Path) -> None:
        """Write the classifier to a file: counts, settings, calibration; no code.

        No documents either, but for models that consist of them, such as "neighbours".

        The file appears whole or not at all; a file of that name is replaced.

        Parameters
        ----------
        path : str or Path
            Where to.

        Raises
        ------
        FileError
            If a setting is a Python function, which no file can hold.
        OSError
            If the folder does not exist, cannot be written to, or is full.
        """
        check_is_fitted(self)
        model_file.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file that :meth:`save` wrote, and check all of it.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        FileError
            If the file is missing, cut short, damaged, of a newer release, or something else.

        Examples
        --------
        >>> import tempfile
        >>> from tallytext import TextClassifier
        >>> path = Path(tempfile.mkdtemp()) / "mails.tally"
        >>> TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"]).save(path)
        >>> TextClassifier.load(path).predict(["lunch now, or later for lunch?"])
        array(['ham'], dtype='<U4')
        """
        classifier = cls()
        model_file.load(classifier, path)
        return classifier

    def to_bytes(self) -> bytes:
        """Return the bytes of the file that :meth:`save` would write.

        For databases and caches, and to send a classifier to other processes.

        Raises
        ------
        FileError
            If a setting is a Python function, which no file can hold.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> packed = TextClassifier("multinomial").fit(["to be"], ["verb"]).to_bytes()
        >>> TextClassifier.from_bytes(packed).classes_
        array(['verb'], dtype='<U4')
        """
        check_is_fitted(self)
        return model_file.pack(self)

    @classmethod
    def from_bytes(cls, packed: bytes) -> Self:
        """Read what :meth:`to_bytes` returned, or the contents of a file, and check all of it.

        Parameters
        ----------
        packed : bytes
            They run no code, whoever made them.

        Raises
        ------
        FileError
            If they are cut short, damaged, of a newer release, or something else.
        """
        classifier = cls()
        model_file.unpack(classifier, packed)
        return classifier
