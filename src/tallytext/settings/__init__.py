"""Settings as plain values, for files: by lists of kinds, never by running code."""

from tallytext.settings.calibrators import calibrator_from_dict, calibrator_to_dict
from tallytext.settings.estimators import estimator_from, settings_of

__all__ = ["calibrator_from_dict", "calibrator_to_dict", "estimator_from", "settings_of"]
