"""Decisions as columns, and one of them."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..hands.columns import Bytes
from ..hands.melds import Meld, MeldKind
from ..hands.named import ColumnBatch, no_array
from ..hands.tiles import KINDS, NAMES, format_tiles, tiles_of
from .actions import action_text
from .arrow import decision_table
from .replays import Phase

#: Meld code of another player's concealed kong.
HIDDEN_KONG = 255


class Decision(NamedTuple):
    """One decision: the columns of a ``DecisionBatch`` as numbers and tuples of them.

    >>> from fastmj.records import decisions
    >>> from fastmj.records.play import play_game
    >>> rows = decisions([play_game(seed=1)])
    >>> rows[8]
    <Decision of game 0, line 0: player 3 with [999p]12355566778p draws 2p: win, out of 8 actions>
    """

    game: int
    line: int
    player: int
    prevalent_wind: int
    phase: int
    counts: tuple[int, ...]
    tile: int
    giver: int
    melds: tuple[tuple[int, ...], ...]
    rivers: tuple[tuple[int, ...], ...]
    visible: tuple[int, ...]
    walls: tuple[int, ...]
    flowers: tuple[int, ...]
    circumstances: int
    total: int
    legal: tuple[bool, ...]
    action: int
    score: int
    fan_tiles: tuple[int, ...] | None

    def __repr__(self) -> str:
        melds = [Meld.from_code(code) for code in self.melds[0] if code]
        held = "".join(map(str, melds)) + format_tiles(tiles_of(self.counts))
        what = {
            Phase.TURN: f"draws {NAMES[self.tile % KINDS]}",
            Phase.DISCARD: "has claimed",
            Phase.CLAIM: f"is offered {NAMES[self.tile % KINDS]}",
            Phase.ROB: f"sees {NAMES[self.tile % KINDS]} added to a pung",
        }[Phase(self.phase)]
        return (
            f"<Decision of game {self.game}, line {self.line}: player {self.player} with {held} "
            f"{what}: {action_text(self.action)}, out of {sum(self.legal)} actions>"
        )


class DecisionBatch(ColumnBatch):
    """Decisions of recorded games, as columns.

    They can be indexed (a ``Decision``), sliced, gone through and compared, and data frames take
    them as they are.

    A decision is what a player does after drawing, after a claim, or on another's discard or added
    kong; those that leave no choice are not among them. Players are counted from the one who
    decides: 0 that player, 1 the next, 2 the one opposite, 3 the one before.

    Attributes
    ----------
    game, line : ndarray of int32, shape (N,)
        Position of the game, and line of the event before the decision.
    player, prevalent_wind : ndarray of uint8, shape (N,)
        Who decides (the seat wind too), and the prevalent wind; 0-3.
    phase : ndarray of uint8, shape (N,)
        0 after a draw, 1 after a claim, 2 on a discard, 3 on an added kong.
    counts : ndarray of uint8, shape (N, 34)
        Concealed tiles, with the one drawn, without the one offered.
    tile : ndarray of uint8, shape (N,)
        The tile drawn or offered; 255 after a claim.
    giver : ndarray of uint8, shape (N,)
        Who gave it.
    melds : ndarray of uint8, shape (N, 4, 4)
        Meld codes of each player; 255 for another's concealed kong, which nobody sees.
    rivers : ndarray of uint8, shape (N, 4, 40)
        Unclaimed discards of each player in order, 255 where there is none.
    visible : ndarray of uint8, shape (N, 34)
        Copies in the rivers and in exposed melds.
    walls, flowers : ndarray of uint8, shape (N, 4)
        Tiles left in each player's wall (in games with flowers, of the one wall), and flowers.
    circumstances : ndarray of uint8, shape (N,)
        Circumstances of a win on ``tile``, as in a ``HandBatch``.
    total : ndarray of int16, shape (N,)
        Points of a win on ``tile``, flowers included; 0 when the tiles do not win.
    legal : ndarray of bool, shape (N, 235)
        Actions that the player has. Winning takes the rule profile's minimum; a kong takes a tile
        in the player's wall; when the next player's wall is empty, there is no kong and no claim
        but a win. What was done is always among them.
    action : ndarray of int16, shape (N,)
        What was done: 0 pass; 1 win; 2 + t discard t; 36 + 3 (7 s + r) + k chow of suit s from rank
        r + 1 made of its tile k; 99 + t pung; 133 + t kong of a discard; 167 + t concealed kong;
        201 + t kong added to a pung.
    score : ndarray of int32, shape (N,)
        What the player won or lost in that game.
    fan_tiles : ndarray of int64, shape (N, 82), or None
        If they were asked for: in the rows where the player won, the tiles that make each fan, as
        masks (bit t is set for tile t); elsewhere 0.
    """

    __slots__ = Decision._fields

    game: npt.NDArray[np.int32]
    line: npt.NDArray[np.int32]
    player: Bytes
    prevalent_wind: Bytes
    phase: Bytes
    counts: Bytes
    tile: Bytes
    giver: Bytes
    melds: Bytes
    rivers: Bytes
    visible: Bytes
    walls: Bytes
    flowers: Bytes
    circumstances: Bytes
    total: npt.NDArray[np.int16]
    legal: npt.NDArray[np.bool_]
    action: npt.NDArray[np.int16]
    score: npt.NDArray[np.int32]
    fan_tiles: npt.NDArray[np.int64] | None

    def __init__(self, **columns: Any):
        for name in self.__slots__:
            setattr(self, name, columns.get(name))

    def __len__(self) -> int:
        return len(self.action)

    @classmethod
    def row_type(cls) -> type[Decision]:
        """One decision."""
        return Decision

    def __repr__(self) -> str:
        return f"<DecisionBatch of {len(self):,} decisions>"

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        no_array(self)

    @property
    def elsewhere(self) -> Bytes:
        """Copies that a player sees outside the own hand and melds, as ``features`` wants them.

        They are the visible ones and the tile offered, without those in the player's own exposed
        melds; shape (N, 34).
        """
        seen = self.visible.copy()
        for place in range(4):
            code = self.melds[:, 0, place].astype(np.intp) - 1
            kind, tile = np.divmod(code, KINDS)
            for chosen, copies, steps in (
                (kind == MeldKind.CHOW, 1, 3),
                (kind == MeldKind.PUNG, 3, 1),
                (kind == MeldKind.MELDED_KONG, 4, 1),
            ):
                rows = np.flatnonzero(chosen)
                for step in range(steps):
                    seen[rows, tile[rows] + step] -= np.uint8(copies)
        offered = np.flatnonzero(self.phase == Phase.CLAIM)
        seen[offered, self.tile[offered]] += 1
        return seen

    def to_arrow(self) -> Any:
        """Arrow record batch of the columns; needs pyarrow.

        Bytes are fixed-size binaries (``counts`` and ``melds`` of the player as ``HandBatch`` takes
        them: 34 and 16 bytes), ``legal`` one of 235 bytes of 0 and 1, and ``fan_tiles`` a list of
        the fans with their masks, empty but for wins.

        Examples
        --------
        >>> from fastmj.records import decisions
        >>> from fastmj.records.play import play_game
        >>> batch = decisions([play_game(seed=1)]).to_arrow()
        >>> batch.num_rows, str(batch.schema.field("counts").type)
        (9, 'fixed_size_binary[34]')
        """
        return decision_table(self.columns)
