"""Every decision of recorded games as rows for training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .batches import Bytes, HandBatch
from .melds import MeldKind
from .records_format import NOBODY, BadRecord, Event, EventKind, Game
from .records_replay import Phase, Table, tables
from .rules import GB98, Rules
from .scoring import score_batch
from .tiles import HONORS_FROM, KINDS

#: First number of each kind of action; 235 in all.
PASS, WIN, PLAY, CHOW, PUNG, KONG, CONCEALED_KONG, ADDED_KONG, ACTIONS = (
    0, 1, 2, 36, 99, 133, 167, 201, 235,
)  # fmt: skip
#: Discards that a river has room for.
RIVER = 40
#: No tile.
NO_TILE = 255
#: Meld code of another player's concealed kong.
HIDDEN_KONG = 255

_CLAIMS = (EventKind.CHOW, EventKind.PUNG, EventKind.KONG, EventKind.WIN)
_TURN_KINDS = (
    EventKind.PLAY, EventKind.CONCEALED_KONG, EventKind.ADDED_KONG, EventKind.WIN,
)  # fmt: skip
_STARTS = {
    EventKind.PLAY: PLAY, EventKind.PUNG: PUNG, EventKind.KONG: KONG,
    EventKind.CONCEALED_KONG: CONCEALED_KONG, EventKind.ADDED_KONG: ADDED_KONG,
}  # fmt: skip


def action_of(event: Event, offered: int) -> int:
    """Number of the action that an event is.

    Parameters
    ----------
    event : Event
    offered : int
        The discard that a chow is made of.

    Examples
    --------
    >>> from fastmj.records import Event, EventKind
    >>> action_of(Event(EventKind.PLAY, 0, 4), -1)
    6
    >>> action_of(Event(EventKind.CHOW, 0, 1), offered=2)
    38
    """
    if event.kind == EventKind.WIN:
        return WIN
    if event.kind == EventKind.CHOW:
        lowest = event.tile - 1
        return CHOW + 3 * (7 * (lowest // 9) + lowest % 9) + offered - lowest
    return _STARTS[event.kind] + event.tile


class DecisionBatch:
    """Decisions of recorded games, as columns.

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
        Actions that the player has. Winning takes the rule profile's minimum; what was done is
        always among them.
    action : ndarray of int16, shape (N,)
        What was done: 0 pass; 1 win; 2 + t discard t; 36 + 3 (7 s + r) + k chow of suit s from rank
        r + 1 made of its tile k; 99 + t pung; 133 + t kong of a discard; 167 + t concealed kong;
        201 + t kong added to a pung.
    score : ndarray of int32, shape (N,)
        What the player won or lost in that game.
    """

    __slots__ = (
        "action", "circumstances", "counts", "flowers", "game", "giver", "legal", "line", "melds",
        "phase", "player", "prevalent_wind", "rivers", "score", "tile", "total", "visible", "walls",
    )  # fmt: skip

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

    def __init__(self, **columns: Any):
        for name in self.__slots__:
            setattr(self, name, columns[name])

    def __len__(self) -> int:
        return len(self.action)

    def __getitem__(self, which: Any) -> DecisionBatch:
        """Some rows."""
        return DecisionBatch(**{name: getattr(self, name)[which] for name in self.__slots__})

    def __repr__(self) -> str:
        return f"<DecisionBatch of {len(self):,} decisions>"

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

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by name, as ``np.savez`` and data frames take them."""
        return {name: getattr(self, name) for name in self.__slots__}


def decisions(
    games: Iterable[Game], *, rules: Rules = GB98, threads: int | None = None
) -> DecisionBatch:
    """Every decision of some games.

    Parameters
    ----------
    games : iterable of Game
        Some thousand at a time: a row takes 600 bytes, a game has about 100.
    rules : Rules
        Rule profile, whose minimum says whether a hand may win.
    threads : int, optional
        Threads to use, by default one a core.

    Returns
    -------
    DecisionBatch

    Raises
    ------
    BadRecord
        When an event cannot have happened.

    Examples
    --------
    >>> from fastmj.records_play import play_game
    >>> rows = decisions([play_game(seed=1)])
    >>> rows.counts.shape[1], rows.legal.shape[1]
    (34, 235)
    >>> bool(rows.legal[range(len(rows)), rows.action].all())
    True
    """
    writer = _Writer()
    for number, game in enumerate(games):
        for table, position in tables(game):
            following = game.events[position] if position < len(game.events) else None
            line = game.events[position - 1].line if position else game.line
            if table.phase in (Phase.TURN, Phase.DISCARD):
                # What cannot be done is left to the table, which says so when its turn comes.
                if following is not None and following.kind in _TURN_KINDS:
                    writer.add(number, line, table, table.turn, action_of(following, NOBODY))
            elif table.phase in (Phase.CLAIM, Phase.ROB):
                acts = _answers(following, table)
                for player in range(4):
                    if player != table.turn:
                        writer.add(number, line, table, player, acts.get(player, PASS))
    return writer.batch(rules, threads)


def _answers(following: Event | None, table: Table) -> dict[int, int]:
    """Actions of the players who claimed what is offered."""
    if following is None or following.player == table.turn:
        return {}
    acts = {}
    for claim in (following, *following.ignored):
        fits = abs(claim.tile - table.tile) <= (claim.kind == EventKind.CHOW)
        if claim.kind in _CLAIMS and fits and claim.player != table.turn:
            acts[claim.player] = action_of(claim, table.tile)
        elif claim is not following:
            # The table looks at what happened only.
            unit = table.game.unit
            raise BadRecord(f"'{claim}': that is no claim of this tile", following.line, unit)
    return acts


class _Writer:
    """Gathers rows as bytes, which is several times faster than an array a row."""

    def __init__(self) -> None:
        self._wide: list[tuple[int, int, int, int]] = []  # game, line, action, score
        self._bytes = bytearray()

    #: Bytes of a row, in the order in which they are written.
    _LAYOUT = (
        ("player", ()), ("prevalent_wind", ()), ("phase", ()), ("tile", ()), ("giver", ()),
        ("circumstances", ()), ("last", ()), ("counts", (KINDS,)), ("visible", (KINDS,)),
        ("walls", (4,)), ("flowers", (4,)), ("melds", (4, 4)), ("rivers", (4, RIVER)),
    )  # fmt: skip

    def add(self, game: int, line: int, table: Table, player: int, action: int) -> None:
        """Write the row of one decision."""
        self._wide.append((game, line, action, table.game.scores[player]))
        row = self._bytes
        tile = NO_TILE if table.tile == NOBODY else table.tile
        giver = 0 if table.giver == NOBODY else (table.giver - player) % 4
        bits = 0 if table.tile == NOBODY else table.circumstances(player)
        phase = min(int(table.phase), int(Phase.ROB))
        wind = table.game.prevalent_wind
        row += bytes((player, wind, phase, tile, giver, bits, _kongs_end(table, player)))
        row += bytes(table.hands[player])
        row += bytes(table.visible)
        seats = [(player + step) % 4 for step in range(4)]
        row += bytes([table.left(seat) for seat in seats])
        row += bytes([table.flowers[seat] for seat in seats])
        for seat in seats:
            codes = [
                HIDDEN_KONG
                if seat != player and meld.kind == MeldKind.CONCEALED_KONG
                else meld.code
                for meld in table.melds[seat]
            ]
            row += bytes(codes + [0] * (4 - len(codes)))
        for seat in seats:
            river = table.rivers[seat][:RIVER]
            row += bytes(river) + b"\xff" * (RIVER - len(river))

    def batch(self, rules: Rules, threads: int | None) -> DecisionBatch:
        """All rows; those that leave no choice are left out."""
        sizes = [int(np.prod(shape, dtype=int)) for _, shape in self._LAYOUT]
        flat = np.frombuffer(bytes(self._bytes), np.uint8).reshape(-1, sum(sizes))
        parts = np.split(flat, np.cumsum(sizes)[:-1], axis=1)
        columns: dict[str, npt.NDArray[Any]] = {
            name: np.ascontiguousarray(part).reshape(len(flat), *shape)
            for (name, shape), part in zip(self._LAYOUT, parts, strict=True)
        }
        wide = np.array(self._wide, np.int64).reshape(-1, 4)
        for place, (name, dtype) in enumerate(
            (("game", np.int32), ("line", np.int32), ("action", np.int16), ("score", np.int32))
        ):
            columns[name] = wide[:, place].astype(dtype)
        total, wins = _wins(columns, rules, threads)
        columns["total"] = total
        columns["legal"] = legal = _legal(columns, wins)
        legal[np.arange(len(legal)), columns["action"]] = True
        del columns["last"]
        return DecisionBatch(**columns)[legal.sum(axis=1) > 1]


def _kongs_end(table: Table, player: int) -> bool:
    """Whether the wall allows no kong any more, and no claim but a win."""
    return table.is_last or table.left(player) == 0


def _wins(
    columns: dict[str, npt.NDArray[Any]], rules: Rules, threads: int | None
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.bool_]]:
    """Points of winning on the tile at hand, and whether that is allowed."""
    there = columns["tile"] != NO_TILE
    counts = columns["counts"].copy()
    offered = np.flatnonzero(there & (columns["phase"] != Phase.TURN))
    counts[offered, columns["tile"][offered]] += 1
    scores = score_batch(
        HandBatch.from_columns(
            counts, columns["melds"][:, 0], columns["tile"], columns["circumstances"],
            columns["player"], columns["prevalent_wind"], columns["flowers"][:, 0],
        ),
        rules=rules, threads=threads,
    )  # fmt: skip
    return scores.total, scores.wins


def _legal(
    columns: dict[str, npt.NDArray[Any]], wins: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Actions that each row allows."""
    counts, tile, phase = columns["counts"], columns["tile"].astype(np.intp), columns["phase"]
    rows = np.arange(len(tile))
    legal = np.zeros((len(tile), ACTIONS), np.bool_)
    mine = phase <= Phase.DISCARD
    legal[:, PASS] = ~mine
    legal[:, WIN] = wins
    legal[:, PLAY : PLAY + KINDS] = (counts > 0) & mine[:, None]
    on = ~columns["last"].astype(np.bool_)
    turn = (phase == Phase.TURN) & on
    legal[:, CONCEALED_KONG : CONCEALED_KONG + KINDS] = (counts == 4) & turn[:, None]
    codes = columns["melds"][:, 0].astype(np.intp)
    for place in range(4):
        pung = codes[:, place] - 1 - KINDS  # the tile, where this meld is a pung
        is_pung = (pung >= 0) & (pung < KINDS) & turn
        which = rows[is_pung]
        legal[which, ADDED_KONG + pung[which]] = counts[which, pung[which]] > 0
    claim = rows[(phase == Phase.CLAIM) & on]
    held = counts[claim, tile[claim]]
    legal[claim, PUNG + tile[claim]] = held >= 2
    legal[claim, KONG + tile[claim]] = held >= 3
    chow = claim[(columns["giver"][claim] == 3) & (tile[claim] < HONORS_FROM)]
    for place in range(3):
        lowest = tile[chow] - place
        fits = (lowest >= 0) & (lowest // 9 == tile[chow] // 9) & (lowest % 9 <= 6)
        which, low = chow[fits], lowest[fits]
        others = [low + step for step in range(3) if step != place]
        number = CHOW + 3 * (7 * (low // 9) + low % 9) + place
        legal[which, number] = (counts[which, others[0]] > 0) & (counts[which, others[1]] > 0)
    return legal
