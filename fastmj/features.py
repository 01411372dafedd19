"""Arrays that a network wants for a hand: planes of tiles, shanten, waits, distances of fans.

The module can be called as its function:

>>> import fastmj
>>> found = fastmj.features(fastmj.HandBatch.from_hands(["123456789m12355p"]))
>>> found.planes.shape == (1, len(fastmj.features.PLANES), 34)
True
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from .distance.batches import visible_rows
from .distance.results import FORMS, Columns, Masks, Shantens, memory_of
from .hands.batch import HandBatch, as_bytes, rows_of_counts
from .hands.columns import Bytes
from .hands.status import Status
from .hands.tiles import KINDS
from .threads import run_chunks
from .value.fans import fan_distance_batch

#: Names of the planes, in order.
PLANES: tuple[str, ...] = (
    *(f"held_{number}" for number in (1, 2, 3, 4)),
    "win_tile",
    *(f"chow_{number}" for number in (1, 2, 3, 4)),
    "pung",
    "melded_kong",
    "concealed_kong",
    *(f"seen_{number}" for number in (1, 2, 3, 4)),
    *(f"left_{number}" for number in (1, 2, 3, 4)),
    "accepted",
    "waits",
    "live_waits",
    "seat_wind",
    "prevalent_wind",
)
_NO_TILE = 255


class FeatureBatch(Columns):
    """Features of many hands.

    Attributes
    ----------
    planes : ndarray of uint8, shape (N, 25, 34)
        0 or 1 for each kind of tile, plane p is ``PLANES[p]``: ``held_n`` at least n copies are
        concealed; ``win_tile`` the winning tile; ``chow_n`` at least n melded chows have the tile;
        ``pung``, ``melded_kong``, ``concealed_kong`` the melds of it; ``seen_n`` at least n copies
        are visible elsewhere; ``left_n`` at least n copies are neither held nor in the melds nor
        visible; ``accepted`` the tile brings the hand nearer; ``waits`` it completes the hand;
        ``live_waits`` and a copy of it is left; ``seat_wind``, ``prevalent_wind`` the wind's tile.
    shanten : ndarray of int8, shape (N, 6)
        Shanten of each form of ``FORMS``, then the lowest; 127 where the melds rule a form out.
    accepted, waits, live : ndarray of int64, shape (N,)
        The same as the planes, bit t for tile t.
    copies : ndarray of int16, shape (N,)
        Copies of the accepted tiles that are left.
    context : ndarray of uint8, shape (N, 5)
        Concealed tiles, melds, concealed kongs among them, flowers, circumstances.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; then its features are 0, its shanten and distances
        -128.
    fan_distances : ndarray of int8, shape (N, 82), or None
        If they were asked for, how far each fan is, fan f in column f: -1 held already, 0 one tile
        away, n for n tiles from ready; 127 out of reach, -128 for fans that are not about tiles to
        draw (``fastmj.value.fan_distance_batch`` says more). Before they go into a network, cut
        them to the range that matters.
    """

    __slots__ = (
        "accepted", "context", "copies", "fan_distances", "live", "planes", "shanten", "waits",
    )  # fmt: skip

    planes: Bytes
    shanten: Shantens
    accepted: Masks
    waits: Masks
    live: Masks
    copies: npt.NDArray[np.int16]
    context: Bytes
    fan_distances: Shantens | None


def features(
    hands: Any,
    *,
    melds: Any = None,
    win_tile: Any = None,
    seat_wind: Any = 0,
    prevalent_wind: Any = 0,
    flowers: Any = 0,
    visible: Any = None,
    fan_distances: bool = False,
    threads: int | None = None,
    out: FeatureBatch | None = None,
) -> FeatureBatch:
    """Features of many hands.

    Parameters
    ----------
    hands : HandBatch or array_like of int, shape (N, 34)
        Hands, or the number of each kind among the concealed tiles: 13 - 3m or 14 - 3m of them
        beside m melds.
    melds : array_like of int, shape (N, 4), optional
        Meld codes as in a ``HandBatch``; this and the next four are for an array of counts.
    win_tile : array_like of int, shape (N,), optional
        The tile drawn last, 255 for none. Waits of 14 tiles are those of the 13 without it; without
        it 14 tiles have no waits.
    seat_wind, prevalent_wind, flowers : array_like of int, shape (N,), or int
        As in a ``HandBatch``.
    visible : array_like of int, shape (N, 34) or (34,), optional
        Copies seen elsewhere: in discards and others' melds.
    fan_distances : bool
        Whether to add how far each fan is, which takes several times as long as all the rest.
    threads : int, optional
        Threads to use, by default one a core. The result does not depend on it.
    out : FeatureBatch, optional
        Features of as many hands, whose arrays are written into instead of new ones; with the
        distances of fans if it has them.

    Returns
    -------
    FeatureBatch
        ``out``, if it is given. About 890 bytes a hand, 970 with the distances of fans: cut very
        long batches into pieces.

    Raises
    ------
    TypeError, ValueError
        For a wrong dtype or shape. Rows that are no hand get a status.

    Examples
    --------
    >>> from fastmj import HandBatch
    >>> found = features(HandBatch.from_hands(["123456789m12344p"]))
    >>> found.planes.shape, found.shanten[0].tolist()
    ((1, 25, 34), [-1, 5, 10, 8, 4, -1])
    >>> [tile - 8 for tile in found.planes[0, PLANES.index("waits")].nonzero()[0].tolist()]
    [1, 4]
    >>> from fastmj import FANS
    >>> found = features(HandBatch.from_hands(["123456789m12344p"]), fan_distances=True)
    >>> {zh: int(found.fan_distances[0, FANS[zh].id]) for zh in ("清龙", "平和", "七对", "清一色")}
    {'清龙': -1, '平和': -1, '七对': 5, '清一色': 4}
    """
    if isinstance(hands, HandBatch):
        if melds is not None or win_tile is not None:
            raise TypeError("melds and win_tile are for counts: a HandBatch has its own")
        batch = hands
    else:
        counts = rows_of_counts(hands)
        drawn = _NO_TILE if win_tile is None else win_tile
        batch = HandBatch(
            counts, melds=melds, win_tile=drawn, seat_wind=seat_wind,
            prevalent_wind=prevalent_wind, flowers=flowers,
        )  # fmt: skip
    return _features(batch, visible, fan_distances, threads, out)


def _features(
    batch: HandBatch, visible: Any, fan_distances: bool, threads: int | None, out: Any
) -> FeatureBatch:
    from .kernels import features as kernels
    from .tables.distance.load import distance_tables

    length = len(batch)
    shown = visible_rows(visible, length)
    memory = memory_of(out, FeatureBatch, length)
    if memory and fan_distances and out.fan_distances is None:
        raise ValueError("out has no fan distances: make it with fan_distances=True")
    memory = memory or (
        np.empty((length, len(PLANES), KINDS), np.uint8),
        np.empty((length, len(FORMS) + 1), np.int8),
        *(np.empty(length, kind) for kind in (np.int64, np.int64, np.int64, np.int16)),
        np.empty((length, 5), np.uint8),
        np.empty(length, np.uint8),
    )
    given = tuple(distance_tables()), batch.columns, shown, int(len(shown) > 1)

    def work(start: int, stop: int) -> None:
        kernels.feature_rows(*given, _scratch(kernels.BLOCK), memory, start, stop)

    run_chunks(work, length, threads)
    names = "planes", "shanten", "accepted", "waits", "live", "copies", "context", "status"
    result: FeatureBatch = out
    if out is None:
        columns: dict[str, Any] = dict(zip(names, memory, strict=True))
        result = FeatureBatch(memory=memory, fan_distances=None, **columns)
    if fan_distances or result.fan_distances is not None:
        fans = fan_distance_batch(
            batch.counts, melds=batch.melds, seat_wind=batch.seat_wind,
            prevalent_wind=batch.prevalent_wind, threads=threads,
        )  # fmt: skip
        fans.distance[result.status != Status.OK] = -128
        if result.fan_distances is None:
            result.fan_distances = fans.distance
        else:
            result.fan_distances[...] = fans.distance
    return result


def _scratch(rows: int) -> tuple[npt.NDArray[Any], ...]:
    """Memory for the distances of so many rows, ``Scratch`` of the kernels."""
    from .kernels.distance.locks import MEMORY

    ready = np.empty((rows, KINDS), np.uint8)
    return (
        np.empty(MEMORY, np.int64),
        np.empty((len(FORMS) + 1, rows), np.int8), np.empty(rows, np.uint8),
        np.empty((rows, 1), np.int8), np.empty((rows, 1), np.int64), np.empty((rows, 1), np.int16),
        np.empty((rows, 1), np.uint8), np.empty(rows, np.uint8),
        ready, as_bytes("ready", ready),
        np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.uint8),
        np.empty(rows, np.uint8),
    )  # fmt: skip


__all__ = ["FORMS", "PLANES", "FeatureBatch", "features"]


class _CallableModule(ModuleType):
    """What ``fastmj.features`` is: this module, called as the function of its name."""

    __call__ = staticmethod(features)


sys.modules[__name__].__class__ = _CallableModule
