"""Values named by their numbers in a dictionary, as Parquet packs such numbers."""

from __future__ import annotations

import numpy as np

from .jit import bare_kernel


@bare_kernel
def look_up(data, width, dictionary, out):
    """Fill ``out`` uint8 (N, B) with entries of ``dictionary`` uint8 (D, B).

    ``data`` uint8: runs of a number that repeats, and of numbers of ``width`` bits side by side.
    Returns whether there was something for every row; damaged data leads nowhere else.
    """
    rows, length = out.shape
    size = data.shape[0]
    entries = dictionary.shape[0]
    at = np.int64(0)
    row = 0
    while row < rows:
        header = np.int64(0)
        shift = 0
        while True:
            if at >= size or shift > 28:
                return False
            byte = np.int64(data[at])
            at += 1
            header |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        number = header >> 1
        held = np.int64(0)
        if header & 1:
            if number == 0 or at + number * width > size:
                return False
            stop = min(rows, row + 8 * number)
            end = at + number * width
            bits = 0
            if length == 1 and width < 8:
                # Eight at a time, which are whole bytes: 1 ns a number instead of 4.
                while row + 8 <= stop:
                    held = np.int64(0)
                    for i in range(width):
                        held |= np.int64(data[at + i]) << 8 * i
                    at += width
                    for i in range(8):
                        entry = held >> i * width & ((1 << width) - 1)
                        if entry >= entries:
                            return False
                        out[row + i, 0] = dictionary[entry, 0]
                    row += 8
                held = np.int64(0)
            while row < stop:
                while bits < width:
                    held |= np.int64(data[at]) << bits
                    at += 1
                    bits += 8
                entry = held & ((1 << width) - 1)
                held >>= width
                bits -= width
                if entry >= entries:
                    return False
                if length == 1:
                    out[row, 0] = dictionary[entry, 0]
                else:
                    for i in range(length):
                        out[row, i] = dictionary[entry, i]
                row += 1
            at = end
        else:
            if number == 0 or at + (width + 7 >> 3) > size:
                return False
            for i in range(width + 7 >> 3):
                held |= np.int64(data[at]) << 8 * i
                at += 1
            if held >= entries:
                return False
            stop = min(rows, row + number)
            while row < stop:
                for i in range(length):
                    out[row, i] = dictionary[held, i]
                row += 1
    return True
