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
from .format import NOBODY, Game
from .replays import Phase, Table, play_out, tables
from .states import States, hands_of

NOT_ASKED, DOES_NOT_WIN, IMPOSSIBLE = -4, -3, -5


class Displays:
    """Gathers what displays of several games say, to be compared all at once."""

    def __init__(self) -> None:
        self._states = States()
        self._rows: list[tuple[int, int, int, int, int]] = []  # game, state, seat, value, line

    def play_out(self, number: int, game: Game) -> Table:
        """Replay a game, and keep what its displays say under its number."""
        if not game.shown:
            return play_out(game)
        shown, rows = dict(game.shown), []
        table = None
        for table, position in tables(game):
            values = shown.get(position)
            if values is None or table.tile == NOBODY or table.phase == Phase.OVER:
                continue
            state, line = self._states.add(table), game.line_of(position - 1)
            asked = (table.turn,) if table.phase == Phase.TURN else range(4)
            rows += [
                (number, state, seat, values[seat], line)
                for seat in asked
                if values[seat] != NOT_ASKED
            ]
        assert table is not None
        self._rows += rows
        return table

    def compare(
        self, games: int, rules: Rules, threads: int | None
    ) -> tuple[list[int], dict[int, list[tuple[Any, ...]]]]:
        """Number of comparisons a game, and what is otherwise by game.

        What is otherwise is the seat, the line, the hand, and the values declared and computed.
        """
        rows = np.array(self._rows, np.int64).reshape(-1, 5)
        if not len(rows):
            return [0] * games, {}
        number, state, seat, declared, line = rows.T
        hands = hands_of(self._states.columns(), state, seat)
        scores = score_batch(hands, rules=rules, threads=threads)
        computed = np.where(scores.status == Status.OK, scores.total, IMPOSSIBLE)
        computed[scores.status == Status.NOT_COMPLETE] = DOES_NOT_WIN
        said: npt.NDArray[Any] = np.where(declared < 0, DOES_NOT_WIN, declared)
        wrong: dict[int, list[tuple[Any, ...]]] = {}
        for row in np.flatnonzero(said != computed):
            try:
                hand = str(hands[int(row)])
            except InvalidHand as error:
                hand = f"({error})"
            found = (int(seat[row]), int(line[row]), hand, int(declared[row]), int(computed[row]))
            wrong.setdefault(int(number[row]), []).append(found)
        return np.bincount(number, minlength=games).tolist(), wrong
