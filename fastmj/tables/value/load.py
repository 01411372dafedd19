"""Loading the value tables: a file made by ``python -m fastmj.tables.value.build``."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..store import DATA, load_arrays

DATA_FILE = DATA / "value.npz"
#: Digest of the arrays in the file (not of the file, whose compression may differ).
DATA_DIGEST = "a78af2c3b548026294ca3230cc2e9533f40427663b9afabdbb50c163d8eac4f6"


class ValueTables(NamedTuple):
    """Tables of the value kernels; ``kernels.value.layout`` says what they hold."""

    words: npt.NDArray[np.int64]
    all_words: npt.NDArray[np.int64]
    split_class: npt.NDArray[np.uint16]
    split_words: npt.NDArray[np.int64]
    chow_class: npt.NDArray[np.uint16]
    chow_words: npt.NDArray[np.int64]
    needs: npt.NDArray[np.int64]
    need_groups: npt.NDArray[np.int64]
    need_fours: npt.NDArray[np.int64]
    plane_keys: npt.NDArray[np.int64]


@lru_cache(maxsize=1)
def value_tables() -> ValueTables:
    """Tables from the data file, read-only.

    Raises
    ------
    RuntimeError
        When the file is damaged.
    """
    return ValueTables(**load_arrays(DATA_FILE, DATA_DIGEST))
