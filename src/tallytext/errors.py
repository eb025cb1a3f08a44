"""What can go wrong, in words a user understands."""


class TallytextError(ValueError):
    """Base of every error that tallytext raises on purpose."""


class FrozenVocabularyError(TallytextError):
    """A term was to be added to a vocabulary that takes no more."""


class NegativeCountError(TallytextError):
    """Something was to be taken out of a tally that was never put in."""


class RecipeError(TallytextError):
    """Planes of different recipes, or a plane that was not kept, were asked for."""


class CountOverflowError(TallytextError):
    """A sum left the range of its 64-bit integer."""


class LabelError(TallytextError):
    """Labels that do not fit the documents, or that cannot be labels."""


class InputError(TallytextError):
    """Documents of a kind that cannot be read as text."""


class FileError(TallytextError):
    """A file is missing, damaged, or not what it was taken for."""
