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
    """Whole numbers as bytes in one pass; those outside 0-255 become ``NO_VALUE``."""
    if numbers.dtype == np.uint8:
        return numbers
    if numbers.dtype.kind == "i":
        if numbers.dtype.itemsize == 1:
            numbers = numbers.astype(np.int16)
        # Read without a sign, a negative number is a large one.
        numbers = numbers.view(numbers.dtype.str.replace("i", "u"))
    found = np.empty(numbers.shape, np.uint8)
    np.minimum(numbers, NO_VALUE, out=found, casting="unsafe")
    return found
