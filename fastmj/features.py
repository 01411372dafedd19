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

from .distance.batches import acceptance_batch, shanten_batch, waits_batch
from .distance.results import FORMS, Columns, Masks, Shantens
from .hands.batch import HandBatch, array_of, as_bytes, rows_of_counts
from .hands.columns import Bytes
from .hands.status import Status
from .hands.tiles import HONORS_FROM, KINDS
from .rules import FANS
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
_AT = {name: place for place, name in enumerate(PLANES)}
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

    Returns
    -------
    FeatureBatch
        About 890 bytes a hand, 970 with the distances of fans: cut very long batches into pieces.

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
    length = len(batch)
    seen: Bytes | None = None
    if visible is not None:
        visible = array_of("visible", visible)
        shape = (length, KINDS) if visible.ndim == 2 else (KINDS,)
        seen = as_bytes("visible", visible, shape)
    found = FeatureBatch(
        np.zeros(length, np.uint8),
        planes=np.zeros((length, len(PLANES), KINDS), np.uint8),
        shanten=np.zeros((length, len(FORMS) + 1), np.int8),
        accepted=np.zeros(length, np.int64),
        waits=np.zeros(length, np.int64),
        live=np.zeros(length, np.int64),
        copies=np.zeros(length, np.int16),
        context=np.zeros((length, 5), np.uint8),
        fan_distances=np.empty((length, len(FANS)), np.int8) if fan_distances else None,
    )

    def work(start: int, stop: int) -> None:
        rows = slice(start, stop)
        _fill(found, batch[rows], seen if seen is None or seen.ndim == 1 else seen[rows], rows)

    run_chunks(work, length, threads)
    return found


def _fill(found: FeatureBatch, batch: HandBatch, seen: Bytes | None, rows: slice) -> None:
    """Features of some rows."""
    counts, codes = batch.counts, batch.melds
    shantens = shanten_batch(counts, melds=codes, threads=1)
    accepted = acceptance_batch(counts, melds=codes, visible=seen, threads=1)
    ready = _before_winning(batch)
    waits = waits_batch(ready, melds=codes, visible=seen, threads=1)
    status = np.where(shantens.status != Status.OK, shantens.status, accepted.status)
    for wind in (batch.seat_wind, batch.prevalent_wind):
        status[(status == Status.OK) & (wind > 3)] = Status.BAD_WIND
    status[(status == Status.OK) & (batch.flowers > 8)] = Status.BAD_FLOWERS
    good = status == Status.OK
    # Waits have a status of their own: 14 tiles of which none was drawn last wait for nothing.
    ready_rows = good & (waits.status == Status.OK)
    found.status[rows] = status
    for place, form in enumerate((*FORMS, "best")):
        found.shanten[rows, place] = np.where(good, getattr(shantens, form), -128)
    found.accepted[rows] = np.where(good, accepted.mask, 0)
    found.copies[rows] = np.where(good, accepted.copies, 0)
    found.waits[rows] = np.where(ready_rows, waits.mask, 0)
    found.live[rows] = np.where(ready_rows, waits.live, 0)
    _context(found.context[rows], batch)
    planes = found.planes[rows]
    _held_planes(planes, batch, seen)
    for name, masks in (
        ("accepted", found.accepted[rows]), ("waits", found.waits[rows]),
        ("live_waits", found.live[rows]),
    ):  # fmt: skip
        planes[:, _AT[name]] = _bits(masks)
    planes[~good] = 0
    found.context[rows][~good] = 0
    if found.fan_distances is not None:
        fans = fan_distance_batch(
            counts, melds=codes, seat_wind=batch.seat_wind, prevalent_wind=batch.prevalent_wind,
            threads=1,
        )  # fmt: skip
        found.fan_distances[rows] = np.where(good[:, None], fans.distance, -128)


def _before_winning(batch: HandBatch) -> Bytes:
    """Counts without the winning tile, where there is one and 14 tiles with it."""
    tiles = batch.counts.sum(axis=1, dtype=np.int64)
    drawn = np.flatnonzero((tiles % 3 == 2) & (batch.win_tile < KINDS))
    ready = batch.counts.copy()
    held = ready[drawn, batch.win_tile[drawn]]
    ready[drawn, batch.win_tile[drawn]] = np.where(held > 0, held - 1, 255)
    return ready


def _context(context: Bytes, batch: HandBatch) -> None:
    context[:, 0] = batch.counts.sum(axis=1)
    context[:, 1] = (batch.melds > 0).sum(axis=1)
    context[:, 2] = (batch.melds > 3 * KINDS).sum(axis=1)
    context[:, 3] = batch.flowers
    context[:, 4] = batch.circumstances


def _bits(masks: Masks) -> Bytes:
    """Bit t of each mask as 0 or 1 in column t."""
    # Eight bytes a mask in little order: five of them hold the 34 tiles.
    flat = masks.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :5]
    return np.unpackbits(flat, axis=1, bitorder="little")[:, :KINDS]


def _held_planes(planes: Bytes, batch: HandBatch, seen: Bytes | None) -> None:
    """Planes of what is held, melded, visible and left, and of the winds."""
    counts, length = batch.counts, len(batch)
    every = np.arange(length)
    chows = np.zeros((length, KINDS), np.uint8)
    gone = counts + (0 if seen is None else seen)  # wraps for impossible rows, which are cleared
    for place in range(4):
        code = batch.melds[:, place].astype(np.intp) - 1
        kind, tile = np.divmod(code, KINDS)
        for number, name in enumerate(("pung", "melded_kong", "concealed_kong"), 1):
            which = every[kind == number]
            planes[which, _AT[name], tile[which]] = 1
            gone[which, tile[which]] += 3 if number == 1 else 4
        which = every[(kind == 0) & (tile < HONORS_FROM) & (tile % 9 <= 6) & (code >= 0)]
        for step in range(3):
            chows[which, tile[which] + step] += 1
            gone[which, tile[which] + step] += 1
    for number in (1, 2, 3, 4):
        planes[:, _AT["held_1"] + number - 1] = counts >= number
        planes[:, _AT["chow_1"] + number - 1] = chows >= number
        if seen is not None:
            planes[:, _AT["seen_1"] + number - 1] = seen >= number
        planes[:, _AT["left_1"] + number - 1] = gone <= 4 - number
    which = every[batch.win_tile < KINDS]
    planes[which, _AT["win_tile"], batch.win_tile[which]] = 1
    for name, wind in (("seat_wind", batch.seat_wind), ("prevalent_wind", batch.prevalent_wind)):
        which = every[wind < 4]
        planes[which, _AT[name], HONORS_FROM + wind[which].astype(np.intp)] = 1


__all__ = ["FORMS", "PLANES", "FeatureBatch", "features"]


class _CallableModule(ModuleType):
    """What ``fastmj.features`` is: this module, called as the function of its name."""

    __call__ = staticmethod(features)


sys.modules[__name__].__class__ = _CallableModule
