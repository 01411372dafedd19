"""Every decision of recorded games as rows for training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch
from ..hands.columns import Bytes
from ..hands.hand import Hand
from ..hands.melds import MeldKind
from ..hands.status import InvalidHand
from ..hands.tiles import HONORS_FROM, KINDS
from ..reference import explain
from ..rules import FANS, GB98, Rules
from ..scoring.batch import score_batch
from .arrow import decision_table
from .format import NOBODY, BadRecord, Event, EventKind, Game
from .replays import Phase, Table, tables
from .states import NO_TILE, Columns, States, hands_of

#: First number of each kind of action; 235 in all.
PASS, WIN, PLAY, CHOW, PUNG, KONG, CONCEALED_KONG, ADDED_KONG, ACTIONS = (
    0, 1, 2, 36, 99, 133, 167, 201, 235,
)  # fmt: skip
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

    __slots__ = (
        "action", "circumstances", "counts", "fan_tiles", "flowers", "game", "giver", "legal",
        "line", "melds", "phase", "player", "prevalent_wind", "rivers", "score", "tile", "total",
        "visible", "walls",
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
    fan_tiles: npt.NDArray[np.int64] | None

    def __init__(self, **columns: Any):
        for name in self.__slots__:
            setattr(self, name, columns.get(name))

    def __len__(self) -> int:
        return len(self.action)

    def __getitem__(self, which: Any) -> DecisionBatch:
        """Some rows."""
        return DecisionBatch(**{name: column[which] for name, column in self.columns.items()})

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
        columns = {name: getattr(self, name) for name in self.__slots__}
        return {name: column for name, column in columns.items() if column is not None}

    def to_arrow(self) -> Any:
        """Arrow record batch of the columns; needs pyarrow.

        Bytes are fixed-size binaries (``counts`` and ``melds`` of the player as ``HandBatch`` takes
        them: 34 and 16 bytes), ``legal`` one of 235 bytes of 0 and 1, and ``fan_tiles`` a list of
        the fans with their masks, empty but for wins.

        Examples
        --------
        >>> from fastmj.records.play import play_game
        >>> batch = decisions([play_game(seed=1)]).to_arrow()
        >>> batch.num_rows, str(batch.schema.field("counts").type)
        (9, 'fixed_size_binary[34]')
        """
        return decision_table(self.columns)


def decisions(
    games: Iterable[Game],
    *,
    rules: Rules = GB98,
    threads: int | None = None,
    fan_tiles: bool = False,
) -> DecisionBatch:
    """Every decision of some games.

    Parameters
    ----------
    games : iterable of Game
        Some thousand at a time: a row takes 600 bytes, a game has about 100. ``decision_batches``
        takes any number.
    rules : Rules
        Rule profile, whose minimum says whether a hand may win.
    threads : int, optional
        Threads to use, by default one a core.
    fan_tiles : bool
        Whether to say which tiles make each fan of the wins: a column of 656 bytes a row.

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
        writer.write(number, game)
    return writer.batch(rules, threads, fan_tiles)


def decision_batches(
    games: Iterable[Game],
    *,
    rows: int = 65_536,
    first: int = 0,
    rules: Rules = GB98,
    threads: int | None = None,
    fan_tiles: bool = False,
    on_error: Callable[[BadRecord], None] | None = None,
) -> Iterator[DecisionBatch]:
    """Every decision of any number of games, in batches: only one is in memory at a time.

    Parameters
    ----------
    games : iterable of Game
        As from ``read_games``; read as far as a batch needs.
    rows : int
        A batch ends with the game in which it has seen so many states of the table.
    first : int
        Number of the first game.
    rules, threads, fan_tiles
        As for ``decisions``.
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that breaks the rules; it is left out then, and its
        number too. Without it the error is raised.

    Yields
    ------
    DecisionBatch
        Its games are numbered as they come.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> games = [play_game(seed=seed) for seed in range(6)]
    >>> batches = list(decision_batches(games, rows=100))
    >>> len(batches) > 1, sum(map(len, batches)) == len(decisions(games))
    (True, True)
    """
    writer = _Writer()
    for number, game in enumerate(games, first):
        try:
            writer.write(number, game)
        except BadRecord as error:
            if on_error is None:
                raise
            on_error(error)
        if len(writer.states) >= rows:
            yield writer.batch(rules, threads, fan_tiles)
            writer = _Writer()
    if len(writer.states):
        yield writer.batch(rules, threads, fan_tiles)


def _answers(game: Game, table: Table) -> dict[int, int]:
    """Actions of the players who claimed what is offered."""
    position = table.position
    following = game.events[position] if position < len(game.events) else None
    if following is None or following.player == table.turn:
        return {}
    acts = {}
    # Where several may win on one tile, their wins follow one another.
    also = takewhile(lambda event: event.kind == EventKind.WIN, game.events[position + 1 :])
    claims = [following, *following.ignored]
    for claim in [*claims, *also] if following.kind == EventKind.WIN else claims:
        fits = abs(claim.tile - table.tile) <= (claim.kind == EventKind.CHOW)
        if claim.kind in _CLAIMS and fits and claim.player != table.turn:
            acts[claim.player] = action_of(claim, table.tile)
        elif claim is not following:
            # The table looks at what happened only.
            raise BadRecord(
                f"'{claim}': that is no claim of this tile", game.line_of(position), game.unit
            )
    return acts


class _Writer:
    """Gathers the decisions of games."""

    def __init__(self) -> None:
        self.states = States(wide=True)
        self._rows: list[tuple[int, int, int, int, int, int]] = []

    def write(self, number: int, game: Game) -> None:
        """Write the decisions of a game, all or none."""
        before = len(self.states), len(self._rows)
        try:
            for table, position in tables(game):
                following = game.events[position] if position < len(game.events) else None
                if following is not None and following.kind == EventKind.FALSE_WIN:
                    continue  # the decision is what comes after it
                self._write_state(number, game, table, following)
        except BadRecord:
            del self.states[before[0] :]
            del self._rows[before[1] :]
            raise

    def _write_state(self, number: int, game: Game, table: Table, following: Event | None) -> None:
        line, rows, state = game.line_of(table.position - 1), self._rows, len(self.states)
        if table.phase <= Phase.DISCARD:
            # What cannot be done is left to the table, which says so when its turn comes.
            if following is not None and following.kind in _TURN_KINDS:
                self.states.add(table)
                player = table.turn
                action = action_of(following, NOBODY)
                rows.append((number, line, action, game.scores[player], state, player))
        elif table.phase <= Phase.ROB:
            acts = _answers(game, table)
            self.states.add(table)
            for player in range(4):
                if player != table.turn:
                    action = acts.get(player, PASS)
                    rows.append((number, line, action, game.scores[player], state, player))

    def batch(self, rules: Rules, threads: int | None, fan_tiles: bool) -> DecisionBatch:
        """All rows but those that leave no choice."""
        wide = np.array(self._rows, np.int64).reshape(-1, 6)
        states, state, player = self.states.columns(), wide[:, 4], wide[:, 5]
        hands = hands_of(states, state, player)
        scores = score_batch(hands, rules=rules, threads=threads)
        legal = _legal(states, state, player, scores.wins)
        legal[np.arange(len(legal)), wide[:, 2]] = True
        kept = np.flatnonzero(np.count_nonzero(legal, axis=1) > 1)
        wide, state, player = wide[kept], state[kept], player[kept]
        seats = (player[:, None] + np.arange(4)) % 4
        turned = {
            name: states[column][state[:, None], seats]
            for name, column in (
                ("melds", "codes"), ("walls", "walls"), ("flowers", "flowers"),
                ("rivers", "rivers"),
            )
        }  # fmt: skip
        others = turned["melds"][:, 1:]
        others[others > 3 * KINDS] = HIDDEN_KONG
        plain = ("prevalent_wind", "phase", "tile", "visible")
        giver = states["giver"][state]
        return DecisionBatch(
            **turned, **{name: states[name][state] for name in plain},
            game=wide[:, 0].astype(np.int32), line=wide[:, 1].astype(np.int32),
            action=wide[:, 2].astype(np.int16), score=wide[:, 3].astype(np.int32),
            player=player.astype(np.uint8), counts=states["hands"][state, player],
            giver=np.where(giver == NO_TILE, 0, (giver - player) % 4).astype(np.uint8),
            circumstances=states["circumstances"][state], total=scores.total[kept],
            legal=legal[kept],
            fan_tiles=_fan_tiles(hands, kept, wide[:, 2], rules) if fan_tiles else None,
        )  # fmt: skip


def _fan_tiles(
    hands: HandBatch, kept: npt.NDArray[Any], actions: npt.NDArray[Any], rules: Rules
) -> npt.NDArray[np.int64]:
    """Masks of the tiles that make each fan, for the rows that are wins."""
    masks = np.zeros((len(kept), len(FANS)), np.int64)
    for row in np.flatnonzero(actions == WIN):
        try:
            hand = hands[int(kept[row])]
        except InvalidHand:
            continue
        for fan, tiles in fan_masks(hand, rules).items():
            masks[row, fan] = tiles
    return masks


def fan_masks(hand: Hand, rules: Rules = GB98) -> dict[int, int]:
    """Tiles that make each fan of a hand, as masks: bit t is set for tile t.

    Parameters
    ----------
    hand : Hand
    rules : Rules
        Rule profile.

    Returns
    -------
    dict
        By the number of the fan. What holds for the whole hand, such as 自摸 or 断幺, has all its
        tiles, a fan that counts twice those of both.

    Examples
    --------
    >>> from fastmj import FANS, parse_hand
    >>> masks = fan_masks(parse_hand("[EEE]123m456p7899s9s|ES0000"))
    >>> [tile for tile in range(34) if masks[FANS["圈风刻"].id] >> tile & 1]
    [27]
    """
    chosen = explain(hand, rules).chosen
    whole = {*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles)}
    masks: dict[int, int] = {}
    for counted in chosen.counted if chosen else ():
        tiles = {tile for block in counted.blocks for tile in block.tiles} or whole
        fan = counted.fan.id
        masks[fan] = masks.get(fan, 0) | sum(1 << tile for tile in tiles)
    return masks


def _legal(
    states: Columns, state: npt.NDArray[Any], player: npt.NDArray[Any], wins: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Actions that each row allows."""
    counts, codes = states["hands"][state, player], states["codes"][state, player].astype(np.intp)
    tile, phase = states["tile"][state].astype(np.intp), states["phase"][state]
    last, drawable = states["last"][state] > 0, states["walls"][state, player] > 0
    rows = np.arange(len(tile))
    legal = np.zeros((len(tile), ACTIONS), np.bool_)
    mine = phase <= Phase.DISCARD
    legal[:, PASS] = ~mine
    legal[:, WIN] = wins
    legal[:, PLAY : PLAY + KINDS] = (counts > 0) & mine[:, None]
    turn = (phase == Phase.TURN) & drawable & ~last
    legal[:, CONCEALED_KONG : CONCEALED_KONG + KINDS] = (counts == 4) & turn[:, None]
    for place in range(4):
        pung = codes[:, place] - 1 - KINDS  # the tile, where this meld is a pung
        is_pung = (pung >= 0) & (pung < KINDS) & turn
        which = rows[is_pung]
        legal[which, ADDED_KONG + pung[which]] = counts[which, pung[which]] > 0
    claim = rows[(phase == Phase.CLAIM) & ~last]
    held = counts[claim, tile[claim]]
    legal[claim, PUNG + tile[claim]] = held >= 2
    legal[claim, KONG + tile[claim]] = (held >= 3) & drawable[claim]
    chow = claim[
        (player[claim] == (states["turn"][state[claim]] + 1) % 4) & (tile[claim] < HONORS_FROM)
    ]
    for place in range(3):
        lowest = tile[chow] - place
        fits = (lowest >= 0) & (lowest // 9 == tile[chow] // 9) & (lowest % 9 <= 6)
        which, low = chow[fits], lowest[fits]
        others = [low + step for step in range(3) if step != place]
        number = CHOW + 3 * (7 * (low // 9) + low % 9) + place
        legal[which, number] = (counts[which, others[0]] > 0) & (counts[which, others[1]] > 0)
    return legal
