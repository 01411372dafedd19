"""How far many hands are from every fan."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..distance.batches import Input, codes_of
from ..distance.results import Columns, Shantens
from ..hands.batch import column_of, rows_of_counts
from ..hands.columns import Bytes
from ..rules import FANS


class FanDistanceBatch(Columns):
    """Distances of many hands to every fan.

    Attributes
    ----------
    distance : ndarray of int8, shape (N, 82)
        By number of the fan: -1 held already, 0 one tile away, n for n tiles from ready; 127 out of
        reach beside the melds as they are, -128 for fans that are not about tiles to draw
        (circumstances, kongs, the wait, 无番和).
    shanten : ndarray of int8, shape (N,)
        Distance to any complete hand, copies that lie in melds counted as gone.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; its numbers are then -128.
    """

    __slots__ = ("distance", "shanten")

    distance: Shantens
    shanten: Shantens


def wind_columns(length: int, seat_wind: Any, prevalent_wind: Any) -> dict[str, Bytes]:
    """Winds of so many hands, from columns or from one for all."""
    winds = {"seat_wind": seat_wind, "prevalent_wind": prevalent_wind}
    return {name: column_of(name, value, length) for name, value in winds.items()}


def fan_distance_batch(
    counts: Any,
    *,
    melds: Any = None,
    seat_wind: Any = 0,
    prevalent_wind: Any = 0,
    threads: int | None = None,
) -> FanDistanceBatch:
    """How many tiles many hands must still draw for every fan.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m or 14 - 3m tiles beside m melds.
    melds : array_like of int, shape (N, 4), optional
        Meld codes as in a ``HandBatch``.
    seat_wind, prevalent_wind : array_like of int, shape (N,), or int
        As for a ``HandBatch``.
    threads : int, optional
        Threads to use, by default one a core.

    Returns
    -------
    FanDistanceBatch

    Raises
    ------
    TypeError, ValueError
        For a wrong dtype or shape. Rows that are no hand get a status.

    Examples
    --------
    >>> from fastmj import FANS
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> found = fan_distance_batch([counts_of(parse_tiles("12345678m4455pEE"))])
    >>> {zh: int(found.distance[0, FANS[zh].id]) for zh in ("清龙", "七对", "混一色", "四杠")}
    {'清龙': 1, '七对': 3, '混一色': 3, '四杠': -128}

    Notes
    -----
    The distance of a fan is the fewest tiles to draw, less one, until the hand contains a complete
    hand with at most four copies of a tile, those in melds counted in, in some reading of which the
    fan's condition holds (RULES sections 4 and 5), whether it would count or be implied by another.
    Melds stay as they are: what might still be claimed is left out, so 门前清 is out of reach of an
    exposed hand, and 全求人 unless four melds lie there. Pungs are judged as if the last tile were
    drawn, so that those among the concealed tiles are concealed. 三暗刻 and 双暗刻 want exactly so
    many. For 九莲宝灯 the last tile drawn must be the winning one: ``1112234567899m`` is one away
    from it (9m, then any), not ready.
    """
    from ..kernels.value.fans import fan_rows
    from ..kernels.value.layout import SCRATCH
    from ..tables.value.load import value_tables

    length = len(rows_of_counts(counts))
    columns = codes_of(melds, length)
    given = Input(counts, columns, None)
    winds = wind_columns(length, seat_wind, prevalent_wind).values()
    distance = np.empty((length, len(FANS)), np.int8)
    shanten, status = np.empty(length, np.int8), np.empty(length, np.uint8)
    value = value_tables()

    def work(tables: Any, rows: Any, trusted: bool, start: int, stop: int) -> None:
        scratch = np.zeros(SCRATCH, np.int64)
        fan_rows(
            tables, rows, trusted, value, columns, *winds, scratch, distance, shanten, status,
            start, stop,
        )  # fmt: skip

    given.run(work, (), threads)
    return FanDistanceBatch(status, distance=distance, shanten=shanten)
