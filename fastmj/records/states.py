"""States of the table as bytes, written one after another and read as columns.

A state is written once for all four players; what each of them sees is turned to the player's view
with whole columns at the end, which is several times faster than an array a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch
from ..hands.hand import SELF_DRAWN
from ..hands.tiles import KINDS
from .format import NOBODY
from .replays import Phase, Table

#: Discards that a river has room for.
RIVER = 40
#: No tile.
NO_TILE = 255

#: What is written of a state, and what else of one that rows for training are made of.
_NARROW = (
    ("hands", (4, KINDS)), ("codes", (4, 4)), ("flowers", (4,)), ("prevalent_wind", ()),
    ("phase", ()), ("turn", ()), ("tile", ()), ("circumstances", ()),
)  # fmt: skip
_WIDE = (
    *_NARROW, ("giver", ()), ("last", ()), ("walls", (4,)), ("visible", (KINDS,)),
    ("rivers", (4, RIVER)),
)  # fmt: skip
_TURN = Phase.TURN

Columns = dict[str, npt.NDArray[np.uint8]]


class States(list[bytes]):
    """States of tables.

    Parameters
    ----------
    wide : bool
        Whether to write what all players see as well: walls, visible tiles and rivers.
    """

    def __init__(self, wide: bool = False):
        super().__init__()
        self._layout = _WIDE if wide else _NARROW

    def add(self, table: Table) -> None:
        """Write the state of a table."""
        phase, turn, tile, bits = table.phase, table.turn, table.tile, 0
        if tile == NOBODY:
            tile = NO_TILE
        else:
            bits = table.circumstances(turn if phase == _TURN else turn + 1 & 3)
        scalars = bytes((table.game.prevalent_wind, phase, turn, tile, bits))
        parts: list[bytes | bytearray]
        parts = [*table.hands, table.codes, table.flowers, scalars]
        if self._layout is _WIDE:
            giver = NO_TILE if tile == NO_TILE else table.giver
            parts += [bytes((giver, table.is_last, *map(table.left, range(4)))), table.visible]
            parts += [river[:RIVER].ljust(RIVER, b"\xff") for river in table.rivers]
        self.append(b"".join(parts))

    def columns(self) -> Columns:
        """The states as columns by name; views of what was written."""
        sizes = [int(np.prod(shape, dtype=int)) for _, shape in self._layout]
        flat = np.frombuffer(b"".join(self), np.uint8).reshape(-1, sum(sizes))
        parts = np.split(flat, np.cumsum(sizes)[:-1], axis=1)
        return {
            name: part.reshape(len(flat), *shape)
            for (name, shape), part in zip(self._layout, parts, strict=True)
        }


def hands_of(states: Columns, which: npt.NDArray[Any], players: npt.NDArray[Any]) -> HandBatch:
    """Hands that players would win with on the tile at hand.

    Parameters
    ----------
    states : dict of ndarray
        Columns of states.
    which, players : ndarray of int, shape (N,)
        State and player of each hand. A tile that is offered is added to the hand, also to that of
        the one who offers it.

    Returns
    -------
    HandBatch
        Without a tile at hand (after a claim) the winning tile is 255, which no hand may have.
    """
    counts = states["hands"][which, players]
    tile, bits = states["tile"][which], states["circumstances"][which]
    offered = np.flatnonzero((tile != NO_TILE) & (bits & SELF_DRAWN == 0))
    counts[offered, tile[offered]] += 1
    return HandBatch.from_columns(
        counts, states["codes"][which, players], tile, bits, players.astype(np.uint8),
        states["prevalent_wind"][which], states["flowers"][which, players],
    )  # fmt: skip
