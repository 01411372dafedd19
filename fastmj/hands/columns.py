"""Bytes, of which all columns of hands are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

#: What stands for a null, or for a number that is no byte: no column allows it, so that the row
#: gets a status of its own.
NO_VALUE = 255


def bytes_of(numbers: npt.NDArray[Any]) -> Bytes:
    """Whole numbers as bytes; those that are none become ``NO_VALUE``."""
    if numbers.dtype == np.uint8:
        return numbers
    fits = (numbers >= 0) & (numbers <= NO_VALUE)
    return np.where(fits, numbers, NO_VALUE).astype(np.uint8)
