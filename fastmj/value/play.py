"""Playing samples by the kernels: what is the same for all hands, and the two ways of playing."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.batch import as_bytes
from ..hands.columns import Bytes
from ..kernels.value import layout as at
from ..rules import Rules
from .goals import goals_of, masks_of
from .lists import GoalLists, Root
from .model import Model


@dataclass(frozen=True, eq=False)
class Candidate:
    """A hand that is played on, and how it came to be.

    Attributes
    ----------
    action : {"stand", "discard", "pass", "claim", "kong", "win"}
        What is done: nothing is asked, a tile is discarded, an offered one is let pass, claimed
        for ``meld`` (and ``discard`` follows) or won with, a kong is declared.
    meld, discard
        Code of the meld, or 0; the tile, or None.
    root : Root
        The hand before the discard.
    starts_with : int
        Who draws next: 0 the hand itself, 1-3 the player to the right, across, to the left.
    """

    action: str
    meld: int
    discard: int | None
    root: Root
    starts_with: int

    @property
    def counts(self) -> Bytes:
        """Concealed tiles, uint8 (34,)."""
        counts = self.root.counts.copy()
        if self.discard is not None:
            counts[self.discard] -= 1
        return counts

    @property
    def seen(self) -> Bytes:
        """Copies that lie elsewhere, uint8 (34,)."""
        seen = self.root.seen.copy()
        if self.discard is not None:
            seen[self.discard] += 1
        return seen

    @property
    def after_kong(self) -> bool:
        """Whether the first tile replaces a kong."""
        return self.meld >= at.KONG


@dataclass(frozen=True, eq=False)
class Table:
    """What is the same for all hands that are compared.

    ``pool`` uint8 are the tiles not seen; ``wall`` of them are drawn.
    """

    pool: Bytes
    draws: int
    minimum: int
    winds: dict[str, int]
    rules: Rules
    model: Model

    @property
    def wall(self) -> int:
        """Tiles that are drawn at most."""
        return self.draws * self.model.a_round

    @property
    def fates(self) -> npt.NDArray[np.int64]:
        """Others' chances by round, as the kernels take them."""
        return self.model.fates(self.draws + 1, at.CERTAIN)

    def settings(self, candidate: Candidate, policy: int) -> npt.NDArray[np.int64]:
        """Settings as the kernels take them."""
        settings = np.zeros(at.SETTINGS, np.int64)
        settings[at.CLAIMED] = int(self.model.claims * at.CERTAIN)
        settings[at.POLICY], settings[at.MINIMUM] = policy, self.minimum
        settings[at.SEAT] = self.winds["seat_wind"]
        settings[at.PREVALENT] = self.winds["prevalent_wind"]
        settings[at.POOL], settings[at.WALL] = len(self.pool), self.wall
        settings[at.A_ROUND], settings[at.STARTS_WITH] = self.model.a_round, candidate.starts_with
        settings[at.MELDING], settings[at.AFTER_KONG] = self.model.melding, candidate.after_kong
        return settings


@dataclass
class Answers:
    """How samples of C hands ended, (C, S), as ``kernels.value.rollouts.Outcomes`` says."""

    how: npt.NDArray[np.uint8]
    turn: npt.NDArray[np.int16]
    base: npt.NDArray[np.int16]
    fans: npt.NDArray[np.int64]
    melds: npt.NDArray[np.uint8]
    ready: npt.NDArray[np.int16]
    waiting: npt.NDArray[np.int16]

    @classmethod
    def empty(cls, hands: int, samples: int) -> Answers:
        """Answers to be filled."""
        shape = (hands, samples)
        return cls(
            np.zeros(shape, np.uint8), np.zeros(shape, np.int16), np.zeros(shape, np.int16),
            np.zeros((*shape, 2), np.int64), np.zeros(shape, np.uint8), np.zeros(shape, np.int16),
            np.zeros(shape, np.int16),
        )  # fmt: skip

    def part(self, place: Any) -> Answers:
        """Some of the answers, not copied."""
        return Answers(*(getattr(self, field.name)[place] for field in fields(self)))

    def fill(self, rows: list[int], samples: slice, others: Answers) -> None:
        """Take the answers of some hands and samples."""
        for field in fields(self):
            for row, values in zip(rows, getattr(others, field.name), strict=True):
                getattr(self, field.name)[row, samples] = values

    def outcomes(self) -> Any:
        """The arrays as a kernel takes them."""
        from ..kernels.value.rollouts import Outcomes

        return Outcomes(*(getattr(self, field.name) for field in fields(self)))


def _memory(hands: int) -> tuple[Any, ...]:
    """What the kernels of acceptance write into."""
    shape = (hands, 34)
    return (
        np.zeros(shape, np.int8), np.zeros(shape, np.int64), np.zeros(shape, np.int16),
        np.zeros(shape, np.uint8), np.zeros(hands, np.uint8),
    )  # fmt: skip


class Rollouts:
    """Hands of one root, played by the policies ``fan`` and ``shanten``."""

    def __init__(self, table: Table, root: Root, policy: str):
        self.table, self.root = table, root
        self.policy = at.BY_FAN if policy == "fan" else at.BY_SHANTEN
        self.goals = masks_of(np.zeros((0, 34), np.int64))
        if policy == "fan":
            self.goals = goals_of(
                root.counts[None], root.seen[None], root.codes[None], table.minimum,
                table.model.claims == 0, table.winds, table.rules,
            )  # fmt: skip

    def play(self, candidates: list[Candidate], seed: int, first: int, stop: int) -> Answers:
        """Play samples of all hands."""
        from ..kernels.distance.locks import MEMORY
        from ..kernels.value.rollouts import STATE_WIDTH, play_rows
        from ..kernels.value.steering import BLOCK, FAR
        from ..tables.distance.load import distance_tables
        from ..tables.scoring.load import load_tables
        from ..tables.scoring.profile import compile_rules

        table, hands = self.table, len(candidates)
        codes, answers = self.root.codes[None], Answers.empty(hands, stop - first)
        blocks = -(-self.goals.shape[1] // BLOCK)
        play_rows(
            distance_tables(), load_tables(), compile_rules(table.rules), self.goals,
            np.stack([each.counts for each in candidates]),
            np.stack([each.seen for each in candidates]), codes,
            as_bytes("melds", (codes != 0).sum(1)), table.pool,
            table.settings(candidates[0], self.policy), table.fates, seed, answers.outcomes(),
            np.zeros((hands, STATE_WIDTH), np.int64), np.zeros((hands, STATE_WIDTH), np.int64),
            np.zeros(len(table.pool), np.uint8), np.zeros((table.wall, 3), np.int64),
            np.zeros((hands, 34), np.uint8), np.zeros((hands, 34), np.uint8),
            np.full(blocks * BLOCK, FAR, np.uint8), _memory(hands), np.empty(MEMORY, np.int64),
            np.zeros((2, 34), np.int64), first, stop,
        )  # fmt: skip
        return answers


class Games:
    """Hands of one root, played by the policy ``weigh``."""

    def __init__(self, table: Table, root: Root):
        self.table = table
        self.lists = GoalLists(
            root, table.model, table.minimum, table.winds, table.rules, len(table.pool),
            table.draws,
        )  # fmt: skip

    def guide(self) -> Any:
        """What the policy goes by, with the lists made so far."""
        from ..kernels.value.decide import Guide

        lists = self.lists
        claimed = np.float32(self.table.model.claims)
        return Guide(*lists.table, lists.factors, lists.chances, claimed)

    def play(self, candidates: list[Candidate], seed: int, first: int, stop: int) -> Answers:
        """Play samples of all hands."""
        from ..kernels.value.decide import MISSING
        from ..kernels.value.games import Game, play_games
        from ..tables.distance.load import distance_tables
        from ..tables.scoring.load import load_tables
        from ..tables.scoring.profile import compile_rules

        answers = Answers.empty(len(candidates), stop - first)
        table, player = self.table, make_player()
        order = np.zeros(len(table.pool), np.uint8)
        coins = np.zeros((table.wall, 3), np.int64)
        for place, candidate in enumerate(candidates):
            game = Game(
                distance_tables(), load_tables(), compile_rules(table.rules), table.fates,
                table.settings(candidate, at.BY_WEIGHT),
            )  # fmt: skip
            done = first
            while done < stop:
                into = answers.part((place, slice(done - first, None))).outcomes()
                done = play_games(
                    game, self.guide(), player, candidate.counts, candidate.seen,
                    self.lists.root.codes, table.pool, seed, order, coins, into, done, stop,
                )  # fmt: skip
                if done < stop:
                    self.lists.add(int(player.state[MISSING]))
        return answers


class Won:
    """A hand that has won already."""

    def __init__(self, base: int, fans: npt.NDArray[np.int64], codes: Bytes):
        self.base, self.fans, self.melds = base, fans, int((codes > 0).sum())

    def play(self, candidates: list[Candidate], seed: int, first: int, stop: int) -> Answers:
        """Win every sample."""
        answers = Answers.empty(len(candidates), stop - first)
        answers.how[:], answers.base[:], answers.melds[:] = at.BY_CLAIM, self.base, self.melds
        answers.fans[:] = self.fans
        answers.turn[:] = answers.ready[:] = answers.waiting[:] = 1
        return answers


def make_player() -> Any:
    """Memory for a hand that ``weigh`` plays."""
    from ..kernels.distance.locks import MEMORY
    from ..kernels.distance.rows import Rows
    from ..kernels.value.decide import STATE, Player
    from ..kernels.value.weigh import HEAD_WIDTH, LAST_SETS, Lists, Scales
    from .lists import MOST_KEPT

    patterns = 4 * MOST_KEPT
    rows = Rows(
        np.zeros((1, 34), np.uint8), np.zeros(1, np.uint8), 0, np.zeros((1, 34), np.uint8), 1,
        np.zeros((1, 4), np.uint8), 0, np.empty(MEMORY, np.int64), 0, 1,
    )  # fmt: skip
    own = Lists(
        np.zeros((1, HEAD_WIDTH), np.int64), np.zeros(patterns, np.int64),
        np.zeros((MOST_KEPT, 4), np.uint16), np.zeros(MOST_KEPT, np.float32),
        np.zeros((1, LAST_SETS), np.int64),
    )  # fmt: skip
    scales = Scales(
        np.ones((4, 3, 125), np.float32), np.zeros(patterns, np.float32),
        np.zeros(patterns, np.float32), np.zeros(MOST_KEPT, np.float32),
        np.zeros(16, np.float32), np.zeros(34, np.float32),
    )  # fmt: skip
    return Player(
        rows, np.zeros(34, np.int64), np.zeros(34, np.uint8), np.zeros(34, np.uint8),
        np.zeros(5, np.int64), np.zeros(STATE, np.int64), own, scales,
    )  # fmt: skip
