"""From scores to decisions, rankings and probabilities. Pure: arrays in, arrays out.

Scores are ``(n_documents, n_classes)``. Nothing here changes once it is made: ``fit`` returns what
was fitted, and is to be given out-of-sample scores.
"""

from tallytext.decision.cuts import Argmax, PCut, RCut
from tallytext.decision.isotonic import Isotonic
from tallytext.decision.platt import Platt
from tallytext.decision.prediction_set import PredictionSets
from tallytext.decision.ranking import log_odds, log_posteriors
from tallytext.decision.temperature import Temperature
from tallytext.decision.thresholds import SCut
from tallytext.decision.top_label import TopLabel

__all__ = [
    "Argmax",
    "Isotonic",
    "PCut",
    "Platt",
    "PredictionSets",
    "RCut",
    "SCut",
    "Temperature",
    "TopLabel",
    "log_odds",
    "log_posteriors",
]
