"""How far a hand is from winning: shanten, waits, acceptance, discards; of one hand or of many."""

from __future__ import annotations

from .answers import Acceptance, Discard, Discards, Shanten, Wait, Waits
from .batches import (
    acceptance_batch,
    discards_batch,
    regular_shanten_batch,
    shanten_batch,
    waits_batch,
)
from .hands import acceptance, discards, shanten, waits
from .results import (
    FORMS,
    NO_HAND,
    RULED_OUT,
    AcceptanceBatch,
    DiscardBatch,
    RegularShantenBatch,
    ShantenBatch,
    WaitBatch,
    forms_of_bits,
    tiles_of_mask,
)
from .scores import WaitScoreBatch, waits_scores, waits_scores_batch

__all__ = [
    "FORMS",
    "NO_HAND",
    "RULED_OUT",
    "Acceptance",
    "AcceptanceBatch",
    "Discard",
    "DiscardBatch",
    "Discards",
    "RegularShantenBatch",
    "Shanten",
    "ShantenBatch",
    "Wait",
    "WaitBatch",
    "WaitScoreBatch",
    "Waits",
    "acceptance",
    "acceptance_batch",
    "discards",
    "discards_batch",
    "forms_of_bits",
    "regular_shanten_batch",
    "shanten",
    "shanten_batch",
    "tiles_of_mask",
    "waits",
    "waits_batch",
    "waits_scores",
    "waits_scores_batch",
]
