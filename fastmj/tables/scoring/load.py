"""The tables that scoring reads whatever the rule profile."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...kernels.scoring import layout as at
from ...kernels.scoring.buffers import Buffers
from ..store import load_data, pack
from .sets import meld_info, rank_tables, tile_info
from .shapes import key_of, shape_slots


@lru_cache(maxsize=1)
def load_tables() -> Buffers:
    """Scoring tables, read and expanded once; ``fastmj.kernels.scoring.buffers`` names them."""
    data = load_data()
    keys = [key_of(tuple(mask >> rank & 1 for rank in range(9))) for mask in range(512)]
    arrays = {
        **data,
        **rank_tables(),
        "mask_key": np.array(keys),
        "shapes": shape_slots(data["shape_entries"], data["displacement"]),
        "meld_info": meld_info(),
        "tile_info": tile_info(),
    }
    return Buffers(
        pack(at.TABLE_WORDS, np.uint16, arrays),
        pack(at.TABLE_INTS, np.int32, arrays),
        pack(at.TABLE_LONGS, np.int64, arrays),
    )
