"""Fast, exact and explained scoring of Chinese Official Mahjong (Guobiao, MCR) hands."""

from .batches import HandBatch
from .corpus import random_wins
from .hands import Hand, parse_hand
from .melds import Meld, MeldKind
from .rules import FANS, GB98, WMO2006, Fan, Rules
from .scoring import (
    HandScore,
    ScoreBatch,
    problems_of,
    require_valid,
    score_batch,
    score_hand,
    validate,
)
from .settlement import settle
from .status import InvalidHand, Status

__version__ = "0.1.0"

__all__ = [
    "FANS",
    "GB98",
    "WMO2006",
    "Fan",
    "Hand",
    "HandBatch",
    "HandScore",
    "InvalidHand",
    "Meld",
    "MeldKind",
    "Rules",
    "ScoreBatch",
    "Status",
    "parse_hand",
    "problems_of",
    "random_wins",
    "require_valid",
    "score_batch",
    "score_hand",
    "settle",
    "validate",
]
