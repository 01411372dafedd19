"""Monte Carlo: how often a hand wins, when, and with what."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from ..distance.reading import AnyHand, AnyMelds, read_row
from ..hands.batch import as_bytes
from ..hands.tiles import Honors
from ..rules import GB98, NationalRulesLike, Rules, national_rules
from ..samples.arguments import MOST_DRAWS, Seed, resolve_seed, whole_between
from ..threads import resolve_threads
from .goals import goals_of, masks_of
from .policy import PolicyFunction, Start, play_by
from .results import Answers, Simulation
from .targets import min_fan_shanten_batch, resolve_minimum, shown_tiles

Policy = Literal["fan", "shanten"]
#: Samples of a piece of work, and pieces between two looks at the standard error: the same whatever
#: the number of threads, so that a run stops where it would with any other.
PIECE, PIECES = 250, 8
#: Most samples: a roll-out of one hand takes 23 bytes.
MOST_SAMPLES = 10**8
#: Fewest samples before a run may stop.
_LEAST = 2000


def simulate(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    draws: int = 18,
    samples: int = 20_000,
    visible: Any = "",
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    seed: Seed = None,
    claims: float = 0.0,
    policy: Policy | PolicyFunction = "fan",
    standard_error: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    honors: Honors = "chinese",
) -> Simulation:
    """Play a hand on many times against random draws.

    Parameters
    ----------
    hand, melds
        As for ``shanten``: a text, winds and flowers behind it, a ``Hand``, or counts with melds.
        Of a 14-tile hand every discard is played on, all against the same draws.
    draws : int
        Own draws, at least 1.
    samples : int
        Roll-outs of each discard.
    visible : str or array_like of int
        Tiles seen in discards and others' melds: they are not drawn.
    rules : Rules or str
        Rule profile, or the name of one: gb98, wmo2006.
    min_fan : int, optional
        What a win must score, flowers aside; by default the profile's minimum.
    seed : int or Generator, optional
        0 to 2**63 - 1; a numpy ``Generator`` is asked for one; by default another each time. The
        result has it and depends on it, not on the number of threads.
    claims : float
        Probability 0-1 that each of three more unseen tiles a turn is discarded by another player,
        so that the hand may win with it. 0 leaves self-draws only.
    policy : {"fan", "shanten"} or callable
        How to discard, see the notes. A function takes a ``Turn`` of many hands at once and returns
        the tile that each discards.
    standard_error : float, optional
        Stop when the chance to win of every discard is known as closely as this.
    threads : int, optional
        Threads to use, by default one a core; a policy function is called from one.
    progress : callable, optional
        Called with the samples done and wanted from time to time.
    honors : {"chinese", "riichi"}
        As for ``parse_hand``.

    Returns
    -------
    Simulation
        After Ctrl-C with the samples done so far.

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand, with the visible tiles, is impossible.
    ValueError
        For a bad argument, or when fewer tiles are left than would be drawn.

    Examples
    --------
    >>> found = simulate("123456789m1234p", samples=2000, seed=1, threads=1)
    >>> choice = found.choices[0]
    >>> bool(0.6 < choice.win_chance < 0.8), choice.ready_by_turn[0].item()
    (True, 1.0)

    A policy of one's own, here one that throws away whatever it draws:

    >>> found = simulate(
    ...     "123456789m1234p", samples=500, seed=1, policy=lambda turn: turn.drawn
    ... )
    >>> found.policy, bool(0.5 < found.choices[0].win_chance < 0.7)
    ('<lambda>', True)

    Notes
    -----
    Policy ``shanten``: a tile that does not bring the hand nearer to any complete hand is discarded
    again; after one that does, the discard that leaves the lowest shanten, then accepts most copies
    not yet seen.

    Policy ``fan``: at the start the complete hands are listed that score ``min_fan`` and miss the
    fewest tiles, and those that miss one more, at most 3000 in all. A drawn tile that none of the
    nearest ones wants is discarded again. After any other, what is left shall miss the fewest tiles
    of one of these hands; among such discards the one after which most copies not yet seen bring it
    nearer is taken, then the one that leaves most of the hands as near. Hands for which a tile is
    used up do not count. Where none is within seven tiles, it plays as ``shanten`` does.

    Either way a tile that completes the hand with enough points wins; it is the last of its kind
    when the three others lie open, in discards and exposed melds. Tiles that lie in the hand's own
    melds are gone, for being ready too. Nothing is claimed but the
    win, and no kong is made. Discards that lead to the same hand are played on once from there.
    """
    rules = national_rules(rules)
    minimum = resolve_minimum(min_fan, rules)
    draws = whole_between("draws", draws, 1, MOST_DRAWS)
    samples = whole_between("samples", samples, 1, MOST_SAMPLES)
    number = resolve_seed(seed)
    if not callable(policy) and policy not in get_args(Policy):
        raise ValueError(f"policy must be 'fan', 'shanten' or a function, got {policy!r}")
    if not 0 <= claims <= 1:
        raise ValueError(f"claims must be a probability 0-1, got {claims!r}")
    if standard_error is not None and not standard_error > 0:
        raise ValueError(f"standard_error must be above 0, got {standard_error!r}")
    game = _Game(hand, visible, honors, draws, minimum, claims, policy, rules, melds)
    return game.play(samples, number, standard_error, resolve_threads(threads), progress)


class _Game:
    """A hand made ready for the kernels."""

    def __init__(
        self, hand: AnyHand, visible: Any, honors: Honors, draws: int, minimum: int, claims: float,
        policy: Policy | PolicyFunction, rules: Rules, melds: AnyMelds = None,
    ):  # fmt: skip
        row = read_row(hand, visible, honors, (0, 1), melds)
        self.text, self.policy, self.draws, self.minimum = row.text, policy, draws, minimum
        self.rules = rules
        self.flowers = int(row.circumstances.get("flowers", 0))
        self.winds = row.winds
        held = row.columns["counts"][0].astype(np.int64)
        self.codes = as_bytes("melds", row.columns["melds"])
        number, shown = shown_tiles(self.codes)
        self.number, self.shown = number, shown[0]
        seen = row.visible[0].astype(np.int64) + shown[0]
        pool = np.repeat(np.arange(34), 4 - held - seen)
        self.pool = pool.astype(np.uint8)
        self.a_turn = 4 if claims else 1
        wanted = draws * self.a_turn
        if wanted > len(pool):
            raise ValueError(f"{wanted} tiles would be drawn, but only {len(pool)} are unseen")
        over = held.sum() == 14 - 3 * int(number[0])
        self.discards: list[int | None] = [None]
        if over:
            self.discards = [int(tile) for tile in np.flatnonzero(held)]
        rest = np.repeat(held[None], len(self.discards), 0)
        gone = np.repeat(seen[None], len(self.discards), 0)
        for place, tile in enumerate(self.discards):
            if tile is not None:
                rest[place, tile] -= 1
                gone[place, tile] += 1
        self.starts, self.seen = as_bytes("starts", rest), as_bytes("seen", gone)
        self.near = min_fan_shanten_batch(
            self.starts, melds=np.repeat(self.codes, len(rest), 0), rules=rules, min_fan=minimum,
            self_drawn=claims == 0, visible=self.seen - self.shown, threads=1, **self.winds,
        )  # fmt: skip
        self.settings = np.array(
            [
                draws, int(claims * (1 << 30)), int(policy == "fan"), minimum,
                self.winds["seat_wind"], self.winds["prevalent_wind"], len(pool),
            ],
            np.int64,
        )  # fmt: skip
        self.goals = masks_of(np.zeros((0, 34), np.int64))
        if policy == "fan":
            self.goals = goals_of(held, seen, self.codes, minimum, claims == 0, self.winds, rules)

    def play(
        self, samples: int, seed: int, error: float | None, threads: int,
        progress: Callable[[int, int], None] | None,
    ) -> Simulation:  # fmt: skip
        """Play in pieces until all is done, close enough known, or stopped."""
        answers = Answers.empty(len(self.starts), samples)
        done, close = 0, False
        with ThreadPoolExecutor(1 if callable(self.policy) else threads) as pool:
            try:
                while done < samples:
                    stops = [min(done + PIECE * (i + 1), samples) for i in range(PIECES)]
                    edges = sorted({done, *stops})
                    list(pool.map(lambda ends: self._piece(answers, seed, *ends), pairwise(edges)))
                    done = edges[-1]
                    if progress:
                        progress(done, samples)
                    if error is not None and done >= _LEAST:
                        close = bool((answers.errors(done) <= error).all())
                    if close:
                        break
            except KeyboardInterrupt:
                if not done:
                    raise
        choices = [
            answers.choice(
                place, done, discard, self.draws, self.flowers, self.rules,
                int(self.near.distance[place]), bool(self.near.exact[place]),
            )
            for place, discard in enumerate(self.discards)
        ]  # fmt: skip
        choices.sort(key=lambda choice: -choice.win_chance)
        whole = done == samples or close
        name = self.policy if isinstance(self.policy, str) else _name_of(self.policy)
        return Simulation(self.text, name, self.draws, self.minimum, seed, whole, tuple(choices))

    def _piece(self, answers: Answers, seed: int, first: int, stop: int) -> None:
        """Play some samples."""
        if isinstance(self.policy, str):
            self._piece_by_kernel(answers, seed, first, stop)
        else:
            self._piece_by_function(self.policy, answers, seed, first, stop)

    def _piece_by_kernel(self, answers: Answers, seed: int, first: int, stop: int) -> None:
        from ..kernels.distance.locks import MEMORY
        from ..kernels.value.rollouts import STATE_WIDTH, play_rows
        from ..tables.distance.load import distance_tables
        from ..tables.scoring.load import load_tables
        from ..tables.scoring.profile import compile_rules

        hands = len(self.starts)
        memory = (
            np.zeros((hands, 34), np.int8), np.zeros((hands, 34), np.int64),
            np.zeros((hands, 34), np.int16), np.zeros((hands, 34), np.uint8),
            np.zeros(hands, np.uint8),
        )  # fmt: skip
        play_rows(
            distance_tables(), load_tables(), compile_rules(self.rules), self.goals, self.starts,
            self.seen, self.codes, self.number, self.pool, self.settings, seed, answers.turn,
            answers.ready, answers.by_self, answers.base, answers.fans,
            np.zeros((hands, STATE_WIDTH), np.int64), np.zeros((hands, STATE_WIDTH), np.int64),
            np.zeros(len(self.pool), np.uint8), np.zeros((hands, 34), np.uint8),
            np.zeros((hands, 34), np.uint8), np.zeros(self.goals.shape[1], np.uint8), memory,
            np.empty(MEMORY, np.int64), np.zeros((2, 34), np.int64), first, stop,
        )  # fmt: skip

    def _piece_by_function(
        self, policy: PolicyFunction, answers: Answers, seed: int, first: int, stop: int
    ) -> None:
        from ..kernels.value.rollouts import draw_rows

        order = np.zeros((stop - first, self.draws, self.a_turn), np.uint8)
        offered = np.zeros((stop - first, self.draws, 3), np.bool_)
        draw_rows(
            self.pool, self.settings, seed, order, offered, np.zeros(len(self.pool), np.uint8),
            first, stop,
        )  # fmt: skip
        start = Start(
            self.starts, self.seen - self.shown, self.shown, self.codes, self.winds, self.draws,
            self.minimum, self.rules,
        )  # fmt: skip
        found = play_by(policy, start, order, offered)
        for name, values in vars(found).items():
            getattr(answers, name)[:, first:stop] = values


def _name_of(policy: Any) -> str:
    """Name of a policy function."""
    return str(getattr(policy, "__name__", type(policy).__name__))
