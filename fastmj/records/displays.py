"""What a judge's displays say that each seat would win with (``canHu``), held to the scorer.

A display after a draw says it of the player who drew, one after a discard or an added kong of the
others, and some of the discarder too, who would win on the own tile. -3 is a hand that does not
win, -4 a seat that is not asked.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.status import InvalidHand, Status
from ..rules import Rules
from ..scoring.batch import score_batch
from .format import NOBODY, BadRecord, Game
from .replays import Phase, Table, check_end, play_out
from .states import States, hands_of

NOT_ASKED, DOES_NOT_WIN, IMPOSSIBLE = -4, -3, -5


class Displays:
    """Gathers what displays of several games say, to be compared all at once."""

    def __init__(self) -> None:
        self._states = States()
        self._shown: list[tuple[int, ...]] = []  # game, line and values of each state

    def play_out(self, number: int, game: Game) -> Table:
        """Replay a game, and keep what its displays say under its number."""
        if not game.shown:
            return play_out(game)
        before = len(self._states)
        table, events = Table(game), iter(game.events)
        try:
            for position, values in game.shown:
                for event in islice(events, position - table.position):
                    table.apply(event)
                if table.tile != NOBODY and table.phase != Phase.OVER:
                    self._states.add(table)
                    self._shown.append((number, game.line_of(position - 1), *values))
            for event in events:
                table.apply(event)
            check_end(table)
        except BadRecord:
            self._states.shorten(before)
            del self._shown[before:]
            raise
        return table

    def compare(
        self, games: int, rules: Rules, threads: int | None
    ) -> tuple[list[int], dict[int, list[tuple[Any, ...]]]]:
        """Number of comparisons a game, and what is otherwise by game.

        What is otherwise is the seat, the line, the hand, and the values declared and computed.
        """
        shown = np.array(self._shown, np.int64).reshape(-1, 6)
        states = self._states.columns()
        asked = shown[:, 2:] != NOT_ASKED
        # Nobody but the player who has drawn can win before the discard.
        drawn, seats = states["phase"][:, None] == Phase.TURN, np.arange(4)
        state, seat = np.nonzero(asked & ~(drawn & (states["turn"][:, None] != seats)))
        number, line, declared = shown[state, 0], shown[state, 1], shown[state, 2 + seat]
        hands = hands_of(states, state, seat)
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
