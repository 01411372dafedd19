"""Fast, exact and explained scoring of Chinese Official Mahjong (Guobiao, MCR) hands.

``score_hand`` and ``score_batch`` score; ``shanten``, ``waits``, ``acceptance`` and ``discards``
look at hands on their way, one at a time or, with ``_batch``, many; ``routes``,
``min_fan_shanten`` and ``simulate`` say what they are worth. ``score_file`` scores data files,
``fastmj.records`` reads games, ``fastmj.review`` looks at them again.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .hands import Hand, HandBatch, InvalidHand, Meld, MeldKind, Status, parse_hand, parse_hands
from .pictures import hand_svg
from .rules import FANS, GB98, HAND_TYPES, REGIONAL, WMO2006, DoublingRules, Fan, Rules
from .samples import random_deals, random_wins
from .scoring import (
    HandScore,
    ScoreBatch,
    score_batch,
    score_botzone,
    score_hand,
    settle,
    settle_false_win,
    standings,
    validate,
)

if TYPE_CHECKING:
    from . import cuda, dataset, distance, records, review, value
    from .dataset import score_file
    from .distance import (
        acceptance,
        acceptance_batch,
        discards,
        discards_batch,
        shanten,
        shanten_batch,
        waits,
        waits_batch,
        waits_scores,
        waits_scores_batch,
    )
    from .features import features
    from .value import (
        exact_chances,
        fan_distance_batch,
        min_fan_shanten,
        min_fan_shanten_batch,
        routes,
        simulate,
        simulate_batch,
    )

__version__ = "0.1.0"

__all__ = [
    "FANS",
    "GB98",
    "HAND_TYPES",
    "REGIONAL",
    "WMO2006",
    "DoublingRules",
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
    "cuda",
    "dataset",
    "discards",
    "discards_batch",
    "distance",
    "exact_chances",
    "fan_distance_batch",
    "features",
    "hand_svg",
    "min_fan_shanten",
    "min_fan_shanten_batch",
    "parse_hand",
    "parse_hands",
    "random_deals",
    "random_wins",
    "records",
    "review",
    "routes",
    "score_batch",
    "score_botzone",
    "score_file",
    "score_hand",
    "settle",
    "settle_false_win",
    "shanten",
    "shanten_batch",
    "simulate",
    "simulate_batch",
    "standings",
    "validate",
    "value",
    "waits",
    "waits_batch",
    "waits_scores",
    "waits_scores_batch",
]

#: What is loaded when it is first asked for, and from where.
_LATER = {
    **{
        room: room
        for room in ("cuda", "dataset", "distance", "features", "records", "review", "value")
    },
    "score_file": "dataset",
    **dict.fromkeys(
        (
            "acceptance",
            "acceptance_batch",
            "discards",
            "discards_batch",
            "shanten",
            "shanten_batch",
            "waits",
            "waits_batch",
            "waits_scores",
            "waits_scores_batch",
        ),
        "distance",
    ),
    **dict.fromkeys(
        (
            "exact_chances",
            "fan_distance_batch",
            "min_fan_shanten",
            "min_fan_shanten_batch",
            "routes",
            "simulate",
            "simulate_batch",
        ),
        "value",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = import_module(f".{_LATER[name]}", __name__)
    found = globals()[name] = room if name == _LATER[name] else getattr(room, name)
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__file__", "__version__"])
