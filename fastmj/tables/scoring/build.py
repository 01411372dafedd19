"""Build the data file: ``python -m fastmj.tables.scoring.build`` writes it, tells its digest."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from ..store import DATA_FILE, digest
from .choices import build_choices
from .shapes import build_shapes


def build() -> dict[str, npt.NDArray[Any]]:
    """Every array of the data file, from the code alone."""
    return {**build_shapes(), **build_choices()}


if __name__ == "__main__":
    arrays = build()
    np.savez_compressed(str(DATA_FILE), allow_pickle=False, **arrays)
    sys.stdout.write(f"{DATA_FILE.name}: put DATA_DIGEST = {digest(arrays)!r} into store.py\n")
