"""How far a hand is from winning: shanten, waits, acceptance, discards; of one hand or of many."""

from __future__ import annotations

from .distance_batches import (
    acceptance_batch,
    discards_batch,
    regular_shanten_batch,
    shanten_batch,
    waits_batch,
)
from .distance_results import (
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

__all__ = [
    "FORMS",
    "NO_HAND",
    "RULED_OUT",
    "AcceptanceBatch",
    "DiscardBatch",
    "RegularShantenBatch",
    "ShantenBatch",
    "WaitBatch",
    "acceptance_batch",
    "discards_batch",
    "forms_of_bits",
    "regular_shanten_batch",
    "shanten_batch",
    "tiles_of_mask",
    "waits_batch",
]
