"""Monte Carlo: how often a hand wins, when, and with what."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .batches import as_bytes
from .distance_hands import _read
from .melds import Meld
from .rules import FANS, GB98, Rules
from .settlement import settle
from .threads import resolve_threads
from .tiles import NAMES, Honors
from .value_routes import routes_of
from .value_targets import MOST_EXACT, _asked, _minimum, _shown, min_fan_shanten_batch

Policy = Literal["fan", "shanten"]
#: Samples of a piece of work, and pieces between two looks at the standard error.
PIECE = 500
_TARGETS = 20_000


@dataclass(frozen=True)
class Choice:
    """What playing on from one hand of 13 tiles (less 3 a meld) came to.

    Attributes
    ----------
    discard : int or None
        Tile that was discarded; None when the hand had 13 tiles.
    samples, wins : int
        Roll-outs, and how many of them won.
    win_chance, win_error : float
        Share of the roll-outs that won within the draws, and its standard error.
    win_by_turn, ready_by_turn : ndarray of float64
        Chance to have won, or to be or have been ready, after so many draws, from 1 on.
    mean_fan, mean_fan_error : float
        Points of a win without flowers; NaN without wins.
    mean_points, mean_points_error : float
        What the winner gets of a win as it is settled; NaN without wins.
    totals : dict of int to int
        Wins by total, flowers included.
    fans : dict of str to int
        Wins by fan that counted, by Chinese name.
    distance : int
        Distance to a hand that scores enough (``min_fan_shanten``).
    exact : bool
        Whether that distance is exact; else an upper bound.
    """

    discard: int | None
    samples: int
    wins: int
    win_chance: float
    win_error: float
    win_by_turn: npt.NDArray[np.float64]
    ready_by_turn: npt.NDArray[np.float64]
    mean_fan: float
    mean_fan_error: float
    mean_points: float
    mean_points_error: float
    totals: dict[int, int]
    fans: dict[str, int]
    distance: int
    exact: bool

    def __str__(self) -> str:
        name = "as it stands" if self.discard is None else NAMES[self.discard]
        return (
            f"{name}: wins {self.win_chance:.1%} ± {self.win_error:.1%}, "
            f"{self.mean_points:.0f} points a win"
        )


@dataclass(frozen=True)
class Simulation:
    """Roll-outs of a hand.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    policy, draws, min_fan, seed
        As they were asked for.
    complete : bool
        Whether all samples were played; else it was stopped.
    choices : tuple of Choice
        The discards, the highest chance to win first, or the hand as it stands.
    """

    hand: str
    policy: Policy
    draws: int
    min_fan: int
    seed: int
    complete: bool
    choices: tuple[Choice, ...]

    def __str__(self) -> str:
        lines = [f"{self.hand}: {self.draws} draws, policy {self.policy}"]
        return "\n".join([*lines, *(f"  {choice}" for choice in self.choices)])


def simulate(
    text: str,
    *,
    draws: int = 18,
    samples: int = 20_000,
    visible: str = "",
    rules: Rules = GB98,
    min_fan: int | None = None,
    seed: int,
    claims: float = 0.0,
    policy: Policy = "fan",
    standard_error: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    honors: Honors = "chinese",
) -> Simulation:
    """Play a hand on many times against random draws.

    Parameters
    ----------
    text : str
        Melds in brackets and 13 or 14 concealed tiles less 3 a meld; winds and flowers may follow.
        Of a 14-tile hand every discard is played on, all against the same draws.
    draws : int
        Own draws, at least 1.
    samples : int
        Roll-outs of each discard.
    visible : str
        Tiles seen in discards and others' melds: they are not drawn.
    rules : Rules
        Rule profile.
    min_fan : int, optional
        What a win must score, flowers aside; by default the profile's minimum.
    seed : int
        0 to 2**63 - 1. The result depends on it, not on the number of threads.
    claims : float
        Probability 0-1 that each of three more unseen tiles a turn is discarded by another player,
        so that the hand may win with it. 0 leaves self-draws only.
    policy : {"fan", "shanten"}
        How to discard, see the notes.
    standard_error : float, optional
        Stop when the chance to win of every discard is known as closely as this.
    threads : int, optional
        Threads to use, by default one a core.
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
    >>> bool(0.5 < choice.win_chance < 0.7), choice.ready_by_turn[0].item()
    (True, 1.0)

    Notes
    -----
    Policy ``shanten``: a tile that does not bring the hand nearer to any complete hand is discarded
    again; after one that does, the discard that leaves the lowest shanten, then accepts most copies
    not yet seen.

    Policy ``fan``: at the start the nearest ways to ``min_fan`` points are listed: complete hands
    that score enough (those of ``min_fan_shanten`` and of one tile more), fans of several sets that
    are worth enough alone, 七对, 全不靠, 清一色. A hand is worth more the fewer tiles its nearest
    way is missing, then the more ways are near (4 to the power of tiles missing apart). A drawn
    tile is kept when it makes the hand worth more, and the discard is what leaves it worth most.

    Either way a tile that completes the hand with enough points wins. Nothing is claimed but the
    win, and no kong is made.
    """
    minimum = _minimum(min_fan, rules)
    for name, number, least in (("draws", draws, 1), ("samples", samples, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or int(number) != number or not least <= number < 2**63:
            raise ValueError(f"{name} must be a whole number of at least {least}, got {number!r}")
    if policy not in get_args(Policy):
        raise ValueError(f"policy must be 'fan' or 'shanten', got {policy!r}")
    if not 0 <= claims <= 1:
        raise ValueError(f"claims must be a probability 0-1, got {claims!r}")
    if standard_error is not None and not standard_error > 0:
        raise ValueError(f"standard_error must be above 0, got {standard_error!r}")
    game = _Game(text, visible, honors, draws, minimum, claims, policy, rules)
    return game.play(samples, seed, standard_error, resolve_threads(threads), progress)


class _Game:
    """A hand made ready for the kernels."""

    def __init__(
        self, text: str, visible: str, honors: Honors, draws: int, minimum: int, claims: float,
        policy: Policy, rules: Rules,
    ):  # fmt: skip
        row = _read(text, visible, honors, (0, 1))
        self.text, self.policy, self.draws, self.minimum = row.text, policy, draws, minimum
        self.rules = rules
        self.flowers = int(row.circumstances.get("flowers", 0))
        self.winds = {n: int(row.circumstances.get(n, 0)) for n in ("seat_wind", "prevalent_wind")}
        held = row.columns["counts"][0].astype(np.int64)
        self.codes = as_bytes("melds", row.columns["melds"])
        number, shown = _shown(self.codes)
        self.number = number
        seen = row.visible[0].astype(np.int64) + shown[0]
        pool = np.repeat(np.arange(34), 4 - held - seen)
        self.pool = pool.astype(np.uint8)
        wanted = draws * (4 if claims else 1)
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
            self_drawn=claims == 0, threads=1, **self.winds,
        )  # fmt: skip
        self.settings = np.array(
            [
                int(number[0]), draws, int(claims * (1 << 30)), int(policy == "fan"), minimum,
                self.winds["seat_wind"], self.winds["prevalent_wind"], len(pool),
            ],
            np.int64,
        )  # fmt: skip
        melds = [Meld.from_code(int(code)) for code in self.codes[0] if code]
        sets = [meld.tile + (34 if meld.kind else 0) for meld in melds]
        targets = self._targets(shown, claims) if policy == "fan" else np.zeros((0, 34), np.int64)
        self.routes = routes_of(held, sets, targets, minimum, rules)

    def _targets(self, shown: Any, claims: float) -> npt.NDArray[np.int64]:
        """Complete hands that score enough, of the least distance and the next."""
        from .kernels.value_layout import SCRATCH
        from .kernels.value_targets import FOUND, target_row
        from .tables.profile import compile_rules
        from .tables.scoring import load_tables

        held = self.starts[0].astype(np.int64).copy()
        if self.discards[0] is not None:
            held[self.discards[0]] += 1
        counts = as_bytes("counts", held[None])
        least = int(np.min(self.near.distance, initial=127, where=self.near.exact))
        found = [np.zeros((0, 34), np.int64)]
        for distance in range(least, min(least + 2, MOST_EXACT + 1)):
            asked = _asked(self.minimum, claims == 0, *self.winds.values())
            targets = np.zeros((_TARGETS, 36), np.int64)
            target_row(
                counts, as_bytes("shown", shown), self.codes, 0, int(self.number[0]),
                distance + 1, distance + 1, asked, targets, np.zeros(SCRATCH, np.int64),
                load_tables(), compile_rules(self.rules),
            )  # fmt: skip
            rows = np.unique(targets[: min(int(asked[FOUND]), _TARGETS)], axis=0)
            found.append(rows[np.argsort(-rows[:, 35], kind="stable")][:, :34])
        whole: npt.NDArray[np.int64] = np.concatenate(found[:3])
        return whole

    def play(
        self, samples: int, seed: int, error: float | None, threads: int,
        progress: Callable[[int, int], None] | None,
    ) -> Simulation:  # fmt: skip
        """Play in pieces until all is done, close enough known, or stopped."""
        shape = (len(self.starts), samples)
        answers = [np.zeros(shape, dtype) for dtype in (np.int16, np.int16, np.uint8, np.int16)] + [
            np.zeros((*shape, 2), np.int64)
        ]
        done = 0
        with ThreadPoolExecutor(threads) as pool:
            try:
                while done < samples:
                    stops = [min(done + PIECE * (i + 1), samples) for i in range(4 * threads)]
                    edges = sorted({done, *stops})
                    pieces = list(pairwise(edges))
                    list(pool.map(lambda piece: self._piece(answers, seed, *piece), pieces))
                    done = edges[-1]
                    if progress:
                        progress(done, samples)
                    wins = (answers[0][:, :done] > 0).mean(1)
                    errors = np.sqrt(wins * (1 - wins) / done)
                    if error is not None and done >= 2000 and (errors <= error).all():
                        break
            except KeyboardInterrupt:
                if not done:
                    raise
        choices = [self._choice(i, [a[i, :done] for a in answers]) for i in range(shape[0])]
        choices.sort(key=lambda choice: -choice.win_chance)
        whole = done == samples or error is not None
        return Simulation(
            self.text, self.policy, self.draws, self.minimum, seed, whole, tuple(choices)
        )

    def _piece(self, answers: list[Any], seed: int, first: int, stop: int) -> None:
        from .kernels.value_layout import SCRATCH
        from .kernels.value_rollouts import play_rows
        from .tables.distance import distance_tables
        from .tables.profile import compile_rules
        from .tables.scoring import load_tables
        from .tables.value import value_tables

        turn, ready, by_self, base, fans = answers
        memory = (
            np.zeros(SCRATCH, np.int64), np.zeros(140, np.uint8), np.zeros((1, 34), np.uint8),
            np.zeros((1, 34), np.uint8), np.zeros((1, 34), np.int8), np.zeros((1, 34), np.int64),
            np.zeros((1, 34), np.int16), np.zeros((1, 34), np.uint8), np.zeros(1, np.uint8),
        )  # fmt: skip
        play_rows(
            distance_tables(), value_tables(), load_tables(), compile_rules(self.rules),
            self.starts, self.seen, self.codes, self.number, self.pool, self.settings, self.routes,
            seed, turn, ready, by_self, base, fans, *memory, first, stop,
        )  # fmt: skip

    def _choice(self, place: int, columns: list[Any]) -> Choice:
        turn, ready, by_self, base, fans = columns
        number = len(turn)
        won = turn > 0
        wins = int(won.sum())
        chance = wins / number
        turns = np.arange(1, self.draws + 1)
        total = base[won].astype(np.int64) + self.flowers * self.rules.points("花牌")
        gain = settle(total, 0, np.where(by_self[won] > 0, -1, 1))[:, 0]
        values, times = np.unique(total, return_counts=True)
        names: dict[str, int] = {}
        for fan in FANS:
            held = int((fans[won, fan.id // 48] >> fan.id % 48 & 1).sum())
            if held:
                names[fan.zh] = held
        return Choice(
            self.discards[place], number, wins, chance,
            float(np.sqrt(chance * (1 - chance) / number)),
            (won[:, None] & (turn[:, None] <= turns)).mean(0),
            ((ready[:, None] > 0) & (ready[:, None] <= turns + 1)).mean(0),
            *_mean(base[won]), *_mean(gain),
            dict(zip(values.tolist(), times.tolist(), strict=True)),
            dict(sorted(names.items(), key=lambda item: -item[1])),
            int(self.near.distance[place]), bool(self.near.exact[place]),
        )  # fmt: skip


def _mean(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Mean and its standard error; NaN where there are too few."""
    if not len(values):
        return float("nan"), float("nan")
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return float(values.mean()), error
