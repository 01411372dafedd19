"""What a judge's displays say that each seat would win with (``canHu``), held to the scorer.

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
from .format import BadRecord, Game
from .replays import Phase, Table, play_out, tables
from .states import States, hands_of

NOT_ASKED, DOES_NOT_WIN, IMPOSSIBLE = -4, -3, -5


class Displays:
    """Gathers what displays of several games say, to be compared all at once."""

    def __init__(self) -> None:
        self._states = States()
        self._games: list[tuple[int, Game, int]] = []  # with the state after the deal

    def play_out(self, number: int, game: Game) -> Table:
        """Replay a game, and keep its states and what its displays say under its number."""
        if not game.can_hu:
            return play_out(game)
        first = len(self._states)
        try:
            for table, _ in tables(game):
                self._states.add(table)
        except BadRecord:
            del self._states[first:]
            raise
        self._games.append((number, game, first))
        return table

    def compare(
        self, games: int, rules: Rules, threads: int | None
    ) -> tuple[list[int], dict[int, list[tuple[Any, ...]]]]:
        """Number of comparisons a game, and what is otherwise by game.

        What is otherwise is the seat, the line, the hand, and the values declared and computed.
        """
        if not self._games:
            return [0] * games, {}
        said_of = [np.array(game.can_hu, np.int64).reshape(-1, 5) for _, game, _ in self._games]
        shown = np.concatenate(said_of)
        place = np.repeat(np.arange(len(said_of)), list(map(len, said_of)))
        columns = self._states.columns()
        at = shown[:, 0] + np.array([first for _, _, first in self._games])[place]
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
        wrong: dict[int, list[tuple[Any, ...]]] = {}
        for row in np.flatnonzero(said != computed):
            number, game, _ = self._games[place[state[row]]]
            try:
                hand = str(hands[int(row)])
            except InvalidHand as error:
                hand = f"({error})"
            line = game.line_of(int(shown[state[row], 0]) - 1)
            found = (int(seat[row]), line, hand, int(declared[row]), int(computed[row]))
            wrong.setdefault(number, []).append(found)
        compared = np.zeros(games, np.int64)
        numbers = np.array([number for number, _, _ in self._games])
        np.add.at(compared, numbers[place[state]], 1)
        return compared.tolist(), wrong
