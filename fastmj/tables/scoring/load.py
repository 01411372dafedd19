"""The tables that scoring reads whatever the rule profile."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...kernels.scoring import layout as at
from ..store import load_data, pack
from .shapes import entry_table
from .words import check_sums, meld_table, tile_table, wait_sums


@lru_cache(maxsize=1)
def load_tables() -> at.Buffers:
    """Scoring tables, read and expanded once; ``fastmj.kernels.scoring.layout`` names them."""
    data = load_data()
    arrays = {
        **data,
        "tiles": tile_table(),
        "melds": meld_table(),
        "wait_sums": wait_sums(),
        "entries": entry_table(data["entries"], data["further"], data["displacement"]),
    }
    check_sums(data["entries"], arrays["melds"])
    return at.Buffers(
        pack(at.TABLE_WORDS, np.uint16, arrays), pack(at.TABLE_LONGS, np.int64, arrays)
    )
