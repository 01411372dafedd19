"""Loading the distance tables: a file made by ``python -m fastmj.tables.distance.build``."""

from __future__ import annotations

from functools import lru_cache

from ...kernels.distance.layout import Tables
from ..store import DATA, load_arrays

DATA_FILE = DATA / "distance.npz"
#: Digest of the arrays in the file (not of the file, whose compression may differ).
DATA_DIGEST = "dba48e61c1b4bd9b6d1dcf2b89707352369d4d0085aa4718870168a950f5b932"


@lru_cache(maxsize=1)
def distance_tables() -> Tables:
    """Tables from the data file, read-only.

    Raises
    ------
    RuntimeError
        When the file is damaged.
    """
    return Tables(**load_arrays(DATA_FILE, DATA_DIGEST))
