"""Shanten on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..distance.results import FORMS
from ..hands.batch import as_bytes
from ..hands.tiles import KINDS
from ..tables.distance.load import distance_tables
from .columns import DeviceShanten
from .device import THREADS, blocks_of, new_array, on_device, require_cuda, stream_of, taken


class _Number(NamedTuple):
    melds: Any


def _number(melds: int) -> _Number:
    """One number of melds for all hands."""
    return _Number(as_bytes("melds", [melds], (1,)))


def shanten_batch(counts: Any, *, melds: Any = None, stream: Any = None) -> DeviceShanten:
    """Shanten of many hands where they lie, on the current device.

    Parameters
    ----------
    counts : device array of uint8, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m or 14 - 3m tiles beside m melds.
    melds : device array of uint8, shape (N,) or (N, 4), or int, optional
        The meld codes of a ``HandBatch``, or only how many melds there are, by default none: as for
        ``fastmj.shanten_batch``.
    stream
        As for ``score_batch``.

    Returns
    -------
    DeviceShanten
        What ``fastmj.shanten_batch`` gives for the same hands, on the device.

    Raises
    ------
    RuntimeError
        Without numba-cuda or without a GPU.
    TypeError, ValueError
        For an array that lies elsewhere, or has a wrong dtype or shape.
    """
    require_cuda()
    from .kernels import shanten_beside_melds, shanten_hands

    order = stream_of(stream)
    tables = on_device(distance_tables)
    hands = taken("counts", counts, np.uint8, (KINDS,), None, order)
    length = hands.shape[0]
    shanten = new_array((len(FORMS) + 1, length), np.int8, order)
    status = new_array((length,), np.uint8, order)
    grid = blocks_of(length), THREADS, order
    if melds is None or isinstance(melds, (int, np.integer)):
        number, step = on_device(_number, int(melds or 0)).melds, 0
    else:
        known = len(melds.shape) == 2
        number, step = taken("melds", melds, np.uint8, (4,) if known else (), length, order), 1
    if length and step and known:
        shanten_beside_melds[grid](hands, number, tables, shanten, status)
    elif length:
        shanten_hands[grid](hands, number, step, tables, shanten, status)
    columns = (shanten[form] for form in range(len(FORMS) + 1))
    return DeviceShanten(**dict(zip(DeviceShanten.layout, (*columns, status), strict=True)))
