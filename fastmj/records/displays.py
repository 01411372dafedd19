"""What records say of hands that do not end the game, held to the scorer.

What a judge's displays say that each seat would win with (``canHu``), and false wins.

A display after a draw says it of the player who drew, one after a discard or an added kong of the
others, and some of the discarder too, who would win on the own tile. -3 is a hand that does not
win, -4 a seat that is not asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.status import InvalidHand, Status
from ..rules import Rules
from ..scoring.batch import score_batch
from .format import FALSE_WIN, BadRecord, EventKind, Game
from .replays import Phase, Table, play_out, tables
from .states import States, hands_of

NOT_ASKED, DOES_NOT_WIN, IMPOSSIBLE = -4, -3, -5
#: In the place of a total: of a seat whose win the record calls false.
CALLED_FALSE = -6


def false_winner(game: Game) -> int | None:
    """Who made the false win that a game ends with: who lost most; ``None`` for another end."""
    if game.end != FALSE_WIN or not any(game.scores):
        return None
    return min(range(4), key=game.scores.__getitem__)


def _said(game: Game) -> npt.NDArray[np.int64]:
    """What is said, a row of the number of events before and of a value a seat."""
    false = [
        (at, event.player)
        for at, event in enumerate(game.events)
        if event.kind == EventKind.FALSE_WIN
    ]
    last = false_winner(game)
    if last is not None:
        false.append((len(game.events), last))
    called = np.full((len(false), 5), NOT_ASKED, np.int64)
    for row, (at, player) in zip(called, false, strict=True):
        row[0], row[1 + player] = at, CALLED_FALSE
    rows = np.concatenate([np.array(game.can_hu, np.int64).reshape(-1, 5), called])
    return rows[np.argsort(rows[:, 0], kind="stable")]


class Displays:
    """Gathers what is said in several games, to be compared all at once."""

    def __init__(self) -> None:
        self._states = States()
        # with what is said, and the number of the state after the deal
        self._games: list[tuple[int, Game, npt.NDArray[np.int64], int]] = []

    def play_out(self, number: int, game: Game) -> Table:
        """Replay a game, and keep its states and what is said in it under its number."""
        said, first = _said(game), len(self._states)
        if not len(said):
            return play_out(game)
        try:
            for table, _ in tables(game):
                self._states.add(table)
        except BadRecord:
            del self._states[first:]
            raise
        self._games.append((number, game, said, first))
        return table

    def compare(
        self, games: int, rules: Rules, threads: int | None
    ) -> tuple[list[int], dict[int, list[tuple[Any, ...]]]]:
        """Number of comparisons a game, and what is otherwise by game.

        What is otherwise is the seat, the line, the hand, and the values declared and computed.
        """
        if not self._games:
            return [0] * games, {}
        shown = np.concatenate([said for _, _, said, _ in self._games])
        place = np.repeat(np.arange(len(self._games)), [len(said) for _, _, said, _ in self._games])
        columns = self._states.columns()
        at = shown[:, 0] + np.array([first for _, _, _, first in self._games])[place]
        states = {name: column[at] for name, column in columns.items()}
        asked = np.isin(states["phase"], (Phase.TURN, Phase.CLAIM, Phase.ROB))
        # Nobody but the player who has drawn can win before the discard.
        drawn, others = states["phase"] == Phase.TURN, states["turn"][:, None] != np.arange(4)
        state, seat = np.nonzero(
            (shown[:, 1:] != NOT_ASKED) & asked[:, None] & ~(drawn[:, None] & others)
        )
        declared = shown[state, 1 + seat]
        hands = hands_of(states, state, seat)
        scores = score_batch(hands, rules=rules, threads=threads)
        computed = np.where(scores.status == Status.OK, scores.total, IMPOSSIBLE)
        computed[scores.status == Status.NOT_COMPLETE] = DOES_NOT_WIN
        said: npt.NDArray[Any] = np.where(declared < 0, DOES_NOT_WIN, declared)
        false = declared == CALLED_FALSE
        computed[false & ~scores.wins] = DOES_NOT_WIN
        wrong: dict[int, list[tuple[Any, ...]]] = {}
        for row in np.flatnonzero(said != computed):
            number, game, _, _ = self._games[place[state[row]]]
            try:
                hand = str(hands[int(row)])
            except InvalidHand as error:
                hand = f"({error})"
            line = game.line_of(int(shown[state[row], 0]) - 1)
            found = (int(seat[row]), line, hand, int(declared[row]), int(computed[row]))
            wrong.setdefault(number, []).append(found)
        compared = np.zeros(games, np.int64)
        numbers = np.array([number for number, *_ in self._games])
        np.add.at(compared, numbers[place[state[~false]]], 1)
        return compared.tolist(), wrong
