"""The tables that scoring reads whatever the rule profile."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .profile import freeze
from .sets import meld_info, rank_tables
from .shapes import key_of, shape_ids
from .store import load_data

Array = npt.NDArray[Any]


class Tables(NamedTuple):
    """Tables of the scoring kernel; ``fastmj.kernels.layout`` describes their bits.

    Attributes
    ----------
    mask_key : int32 (512,)
        Base-5 key of one copy of each rank in a mask.
    shape_id, honor_id : uint16 (5**9,), (5**7,)
    shape_info, splits : int64
    meld_info : int64 (256, 8)
    chow_rank, pung_rank : uint16
        Number of sets of a suit and rank among the choices of that number.
    chow_size, pung_size : int32 (5,)
    chow_offset, pung_offset : int32 (125,)
    """

    mask_key: Array
    shape_id: Array
    honor_id: Array
    shape_info: Array
    splits: Array
    meld_info: Array
    chow_rank: Array
    chow_size: Array
    chow_offset: Array
    pung_rank: Array
    pung_size: Array
    pung_offset: Array


@lru_cache(maxsize=1)
def load_tables() -> Tables:
    """Scoring tables, read and expanded once."""
    data = load_data()
    suits, honors = shape_ids(data["shape_keys"])
    keys = [key_of(tuple(mask >> rank & 1 for rank in range(9))) for mask in range(512)]
    arrays = {
        "mask_key": np.array(keys, np.int32),
        "shape_id": suits,
        "honor_id": honors,
        "shape_info": data["shape_info"],
        "splits": data["splits"],
        "meld_info": meld_info(),
        **rank_tables(),
    }
    return Tables(**{name: freeze(array) for name, array in arrays.items()})
