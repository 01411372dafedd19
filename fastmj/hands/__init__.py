"""Hands: tiles, melds, texts, one hand, many hands as columns, and what can be wrong with them."""

from __future__ import annotations

from .batch import HandBatch
from .hand import Hand, parse_hand
from .melds import Meld, MeldKind
from .parsed import ParsedHands, parse_hands
from .status import InvalidHand, Status

__all__ = [
    "Hand",
    "HandBatch",
    "InvalidHand",
    "Meld",
    "MeldKind",
    "ParsedHands",
    "Status",
    "parse_hand",
    "parse_hands",
]
