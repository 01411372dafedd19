"""Hands: tiles, melds, texts, one hand, many hands as columns, and what can be wrong with them."""

from __future__ import annotations

from .batch import HandBatch
from .hand import Hand, parse_hand
from .melds import Meld, MeldKind
from .status import InvalidHand, Status

__all__ = [
    "Hand",
    "HandBatch",
    "InvalidHand",
    "Meld",
    "MeldKind",
    "Status",
    "parse_hand",
]
