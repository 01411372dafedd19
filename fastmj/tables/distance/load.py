"""Loading the distance tables: a file made by ``python -m fastmj.tables.distance.build``."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..store import DATA, load_arrays

DATA_FILE = DATA / "distance.npz"
#: Digest of the arrays in the file (not of the file, whose compression may differ).
DATA_DIGEST = "dba48e61c1b4bd9b6d1dcf2b89707352369d4d0085aa4718870168a950f5b932"


class DistanceTables(NamedTuple):
    """Tables of the distance kernels; ``kernels.distance.layout`` says what they hold."""

    parts: npt.NDArray[np.int32]
    planes: npt.NDArray[np.int32]
    unit_keys: npt.NDArray[np.int32]
    classes: npt.NDArray[np.uint8]
    join: npt.NDArray[np.uint8]
    need: npt.NDArray[np.uint8]
    lower: npt.NDArray[np.uint16]
    lower_words: npt.NDArray[np.int64]
    useful: npt.NDArray[np.uint16]
    spread: npt.NDArray[np.int64]
    special: npt.NDArray[np.int32]
    knitted: npt.NDArray[np.uint8]
    taken: npt.NDArray[np.int32]
    waits: npt.NDArray[np.uint16]


@lru_cache(maxsize=1)
def distance_tables() -> DistanceTables:
    """Tables from the data file, read-only.

    Raises
    ------
    RuntimeError
        When the file is damaged.
    """
    return DistanceTables(**load_arrays(DATA_FILE, DATA_DIGEST))
