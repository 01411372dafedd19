"""Every decision of recorded games as rows for training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.batch import Bytes, HandBatch
from ..hands.melds import MeldKind
from ..hands.tiles import HONORS_FROM, KINDS
from ..rules import GB98, Rules
from ..scoring.batch import score_batch
from .format import NOBODY, BadRecord, Event, EventKind, Game
from .replays import Phase, Table, tables

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

_Layout = tuple[tuple[str, tuple[int, ...]], ...]
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
        Actions that the player has. Winning takes the rule profile's minimum; a kong takes a tile
        in the player's wall; when the next player's wall is empty, there is no kong and no claim
        but a win. What was done is always among them.
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
    >>> from fastmj.records.play import play_game
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
            line = game.line_of(position - 1)
            if table.phase in (Phase.TURN, Phase.DISCARD):
                # What cannot be done is left to the table, which says so when its turn comes.
                if following is not None and following.kind in _TURN_KINDS:
                    writer.state(table)
                    writer.add(number, line, table, table.turn, action_of(following, NOBODY))
            elif table.phase in (Phase.CLAIM, Phase.ROB):
                acts = _answers(following, table)
                writer.state(table)
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
            raise BadRecord(
                f"'{claim}': that is no claim of this tile",
                table.game.line_of(table.position), table.game.unit,
            )  # fmt: skip
    return acts


class _Writer:
    """Gathers rows as bytes, which is several times faster than an array a row.

    What all players see is written once a state of the table, by seat; it is turned to each
    player's view at the end, for the rows that leave a choice.
    """

    #: Bytes of a row and of a state, in the order in which they are written.
    _ROW = (
        ("player", ()), ("prevalent_wind", ()), ("phase", ()), ("tile", ()), ("giver", ()),
        ("circumstances", ()), ("last", ()), ("counts", (KINDS,)), ("own", (4,)), ("flower", ()),
    )  # fmt: skip
    _STATE = (
        ("visible", (KINDS,)), ("walls", (4,)), ("flowers", (4,)), ("melds", (4, 4)),
        ("rivers", (4, RIVER)),
    )  # fmt: skip

    def __init__(self) -> None:
        self._wide: list[tuple[int, int, int, int, int]] = []  # game, line, action, score, state
        self._rows, self._states = bytearray(), bytearray()
        self._state, self._codes = -1, [b"", b"", b"", b""]

    def state(self, table: Table) -> None:
        """Write what everybody sees."""
        self._state += 1
        self._codes = [bytes(table.codes[4 * seat : 4 * seat + 4]) for seat in range(4)]
        self._states += b"".join(
            (
                bytes(table.visible),
                bytes([table.left(seat) for seat in range(4)]),
                bytes(table.flowers),
                *self._codes,
                *(bytes(river[:RIVER]).ljust(RIVER, b"\xff") for river in table.rivers),
            )
        )

    def add(self, game: int, line: int, table: Table, player: int, action: int) -> None:
        """Write the row of one decision, after its state."""
        self._wide.append((game, line, action, table.game.scores[player], self._state))
        known = table.tile != NOBODY
        self._rows += bytes(
            (
                player, table.game.prevalent_wind, table.phase,
                table.tile if known else NO_TILE,
                (table.giver - player) % 4 if known else 0,
                table.circumstances(player) if known else 0,
                # 1 where the player has no tile to draw for a kong, 2 where nobody draws any more.
                2 if table.is_last else table.left(player) == 0,
                *table.hands[player],
            )
        )  # fmt: skip
        self._rows += self._codes[player]
        self._rows.append(table.flowers[player])

    def batch(self, rules: Rules, threads: int | None) -> DecisionBatch:
        """All rows but those that leave no choice."""
        rows = _split(self._rows, self._ROW)
        wide = np.array(self._wide, np.int64).reshape(-1, 5)
        total, wins = _wins(rows, rules, threads)
        legal = _legal(rows, wins)
        legal[np.arange(len(legal)), wide[:, 2]] = True
        kept = np.flatnonzero(legal.sum(axis=1) > 1)
        wide, player = wide[kept], rows["player"][kept]
        states = {
            name: column[wide[:, 4]] for name, column in _split(self._states, self._STATE).items()
        }
        seats = (player[:, None] + np.arange(4)) % 4
        for name in ("walls", "flowers", "melds", "rivers"):
            states[name] = states[name][np.arange(len(kept))[:, None], seats]
        others = states["melds"][:, 1:]
        others[others > 3 * KINDS] = HIDDEN_KONG
        return DecisionBatch(
            **{name: rows[name][kept] for name in DecisionBatch.__slots__ if name in rows},
            **states,
            game=wide[:, 0].astype(np.int32), line=wide[:, 1].astype(np.int32),
            action=wide[:, 2].astype(np.int16), score=wide[:, 3].astype(np.int32),
            total=total[kept], legal=legal[kept],
        )  # fmt: skip


def _split(data: bytearray, layout: _Layout) -> dict[str, npt.NDArray[Any]]:
    """Columns of rows that were written one after another."""
    sizes = [int(np.prod(shape, dtype=int)) for _, shape in layout]
    flat = np.frombuffer(bytes(data), np.uint8).reshape(-1, sum(sizes))
    parts = np.split(flat, np.cumsum(sizes)[:-1], axis=1)
    return {
        name: np.ascontiguousarray(part).reshape(len(flat), *shape)
        for (name, shape), part in zip(layout, parts, strict=True)
    }


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
            counts, columns["own"], columns["tile"], columns["circumstances"],
            columns["player"], columns["prevalent_wind"], columns["flower"],
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
    last = columns["last"]
    turn = (phase == Phase.TURN) & (last == 0)
    legal[:, CONCEALED_KONG : CONCEALED_KONG + KINDS] = (counts == 4) & turn[:, None]
    codes = columns["own"].astype(np.intp)
    for place in range(4):
        pung = codes[:, place] - 1 - KINDS  # the tile, where this meld is a pung
        is_pung = (pung >= 0) & (pung < KINDS) & turn
        which = rows[is_pung]
        legal[which, ADDED_KONG + pung[which]] = counts[which, pung[which]] > 0
    claim = rows[(phase == Phase.CLAIM) & (last < 2)]
    held = counts[claim, tile[claim]]
    legal[claim, PUNG + tile[claim]] = held >= 2
    legal[claim, KONG + tile[claim]] = (held >= 3) & (last[claim] == 0)
    chow = claim[(columns["giver"][claim] == 3) & (tile[claim] < HONORS_FROM)]
    for place in range(3):
        lowest = tile[chow] - place
        fits = (lowest >= 0) & (lowest // 9 == tile[chow] // 9) & (lowest % 9 <= 6)
        which, low = chow[fits], lowest[fits]
        others = [low + step for step in range(3) if step != place]
        number = CHOW + 3 * (7 * (low // 9) + low % 9) + place
        legal[which, number] = (counts[which, others[0]] > 0) & (counts[which, others[1]] > 0)
    return legal
