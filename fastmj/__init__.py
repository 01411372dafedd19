"""Fast, exact and explained scoring of Chinese Official Mahjong (Guobiao, MCR) hands.

``score_hand`` and ``score_batch`` score; ``shanten``, ``waits``, ``acceptance`` and ``discards``
look at hands on their way, one at a time or, with ``_batch``, many; ``routes``,
``min_fan_shanten`` and ``simulate`` say what they are worth.
"""

from .batches import HandBatch
from .corpus import random_wins
from .deals import random_deals
from .distance import (
    acceptance,
    acceptance_batch,
    discards,
    discards_batch,
    regular_shanten_batch,
    shanten,
    shanten_batch,
    waits,
    waits_batch,
    waits_scores,
)
from .features import features
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
from .svg import hand_svg
from .value import (
    exact_chances,
    fan_distance_batch,
    min_fan_shanten,
    min_fan_shanten_batch,
    routes,
    simulate,
)

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
    "acceptance",
    "acceptance_batch",
    "discards",
    "discards_batch",
    "exact_chances",
    "fan_distance_batch",
    "features",
    "hand_svg",
    "min_fan_shanten",
    "min_fan_shanten_batch",
    "parse_hand",
    "problems_of",
    "random_deals",
    "random_wins",
    "regular_shanten_batch",
    "require_valid",
    "routes",
    "score_batch",
    "score_hand",
    "settle",
    "shanten",
    "shanten_batch",
    "simulate",
    "validate",
    "waits",
    "waits_batch",
    "waits_scores",
]
