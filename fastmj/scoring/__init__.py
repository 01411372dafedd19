"""Scoring: one hand or many, what is wrong with a row, and who pays what."""

from __future__ import annotations

from .batch import ScoreBatch, problems_of, require_valid, score_batch, validate
from .hand import HandScore, fans_of_mask, score_botzone, score_hand
from .settlement import settle, settle_false_win, standings

__all__ = [
    "HandScore",
    "ScoreBatch",
    "fans_of_mask",
    "problems_of",
    "require_valid",
    "score_batch",
    "score_botzone",
    "score_hand",
    "settle",
    "settle_false_win",
    "standings",
    "validate",
]
