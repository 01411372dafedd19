"""Every decision of recorded games as rows for training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch
from ..hands.hand import Hand, as_hand
from ..hands.status import InvalidHand
from ..hands.tiles import HONORS_FROM, KINDS
from ..reference import explain
from ..rules import FANS, GB98, NationalRulesLike, Rules, national_rules
from ..scoring.batch import score_batch
from .actions import (
    ACTIONS,
    ADDED_KONG,
    CHOW,
    CONCEALED_KONG,
    KONG,
    PASS,
    PLAY,
    PUNG,
    WIN,
    action_of,
)  # fmt: skip
from .decision import HIDDEN_KONG, DecisionBatch
from .format import NOBODY, BadRecord, Event, EventKind, Game
from .replays import Phase, Table, tables
from .states import NO_TILE, Columns, States, hands_of

_CLAIMS = (EventKind.CHOW, EventKind.PUNG, EventKind.KONG, EventKind.WIN)
_TURN_KINDS = (
    EventKind.PLAY, EventKind.CONCEALED_KONG, EventKind.ADDED_KONG, EventKind.WIN,
)  # fmt: skip


def decisions(
    games: Iterable[Game],
    *,
    rules: NationalRulesLike = GB98,
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
    rules = national_rules(rules)
    writer = _Writer()
    for number, game in enumerate(games):
        writer.write(number, game)
    return writer.batch(rules, threads, fan_tiles)


def decision_batches(
    games: Iterable[Game],
    *,
    rows: int = 65_536,
    first: int = 0,
    rules: NationalRulesLike = GB98,
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
    rules = national_rules(rules)
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


def fan_masks(hand: Hand | str, rules: NationalRulesLike = GB98) -> dict[int, int]:
    """Tiles that make each fan of a hand, as masks: bit t is set for tile t.

    Parameters
    ----------
    hand : Hand or str
    rules : Rules or str
        Rule profile, or the name of one: gb98, wmo2006.

    Returns
    -------
    dict
        By the number of the fan. What holds for the whole hand, such as 自摸 or 断幺, has all its
        tiles, a fan that counts twice those of both.

    Examples
    --------
    >>> from fastmj import FANS
    >>> masks = fan_masks("[EEE]123m456p7899s9s|ES0000")
    >>> [tile for tile in range(34) if masks[FANS["圈风刻"].id] >> tile & 1]
    [27]
    """
    hand = as_hand(hand)
    chosen = explain(hand, national_rules(rules)).chosen
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
