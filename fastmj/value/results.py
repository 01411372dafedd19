"""What roll-outs came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..hands.melds import Meld
from ..kernels.value import layout as at
from ..pictures import hand_picture, page, table, tiles_pictures
from ..rules import FANS
from .candidates import name_of
from .play import Candidate
from .tallies import PAYMENTS, WINS, Tally, mean_of
from .targets import UNKNOWN

Floats = npt.NDArray[np.float64]
_WINDS = ("East", "South", "West", "North")
#: Kinds of an end that is no win of the hand.
_LOSSES = {
    "drawn": at.NOBODY, "other_self_drawn": at.OTHER_BY_DRAW, "other_by_other": at.OTHER_BY_OTHER,
    "dealt_in": at.OTHER_BY_HAND,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Choice:
    """What one way to play on came to.

    Attributes
    ----------
    action : {"stand", "discard", "pass", "claim", "kong", "win"}
        What is done: the hand is played as it stands, a tile is discarded, an offered tile is let
        pass, claimed for ``meld``, or won with; a kong is declared.
    discard : int or None
        Tile that is discarded, also behind a claim.
    meld : Meld or None
        The meld of a claim or a kong.
    samples, wins : int
        Roll-outs, and how many of them won.
    win_chance, win_error : float
        Share of the roll-outs that won, and its standard error, as if one more had won and one
        more had not.
    payment, payment_error : float
        What the hand gets or pays on average, others' wins counted (see ``settle``), and its
        standard error.
    win_behind, win_behind_error, payment_behind, payment_behind_error : float
        How much less the chance to win and the payment are than those of the first choice, and the
        standard errors of these differences: the hands meet the same wall and the same luck of the
        others, so that a difference is known better than the values. 0 for the first.
    win_by_turn, ready_by_turn, waiting_by_turn : ndarray of float64
        Chance to have won, to wait or have waited for enough points, and to wait or have waited for
        any complete hand (shanten 0), after so many rounds, from 1 on.
    mean_fan, mean_fan_error : float
        Points of a win without flowers; NaN without wins.
    mean_points, mean_points_error : float
        What the winner gets of a win as it is settled; NaN without wins.
    self_drawn : float
        Share of the wins that were self-drawn; NaN without wins.
    melds : tuple of float
        Shares of the wins with 0 to 4 melds; NaN without wins.
    ends : dict of str to float
        Share of the roll-outs that nobody won (``drawn``), that another player won by a self-draw
        (``other_self_drawn``), by a third one's discard (``other_by_other``) or by the hand's own
        (``dealt_in``).
    totals : dict of int to int
        Wins by total, flowers included.
    fans : dict of str to int
        Wins by fan that counted, by Chinese name.
    plain : int
        Wins without any fan of six points or more: sums of small ones.
    distance : int
        Distance to a hand that scores enough (``min_fan_shanten``).
    exact : bool
        Whether that distance is exact; else an upper bound.
    """

    action: str
    discard: int | None
    meld: Meld | None
    samples: int
    wins: int
    win_chance: float
    win_error: float
    payment: float
    payment_error: float
    win_behind: float
    win_behind_error: float
    payment_behind: float
    payment_behind_error: float
    win_by_turn: Floats
    ready_by_turn: Floats
    waiting_by_turn: Floats
    mean_fan: float
    mean_fan_error: float
    mean_points: float
    mean_points_error: float
    self_drawn: float
    melds: tuple[float, ...]
    ends: dict[str, float]
    totals: dict[int, int]
    fans: dict[str, int]
    plain: int
    distance: int
    exact: bool

    @property
    def name(self) -> str:
        """What is done, in words."""
        return name_of(self.action, self.meld, self.discard)

    def __eq__(self, other: object) -> bool:
        """Equal by value; where neither won, their means are as unknown."""
        if not isinstance(other, Choice):
            return NotImplemented
        return all(
            np.array_equal(mine, theirs, equal_nan=True)
            if isinstance(mine, (float, tuple, np.ndarray))
            else mine == theirs
            for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.action, self.discard, self.meld, self.samples, self.wins))

    def __str__(self) -> str:
        return (
            f"{self.name}: wins {self.win_chance:.1%} ± {self.win_error:.1%}, "
            f"pays {self.payment:+.1f} ± {self.payment_error:.1f}"
        )


@dataclass(frozen=True)
class Simulation:
    """Roll-outs of a hand.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    policy : str
        Its name.
    draws, min_fan, seed : int
        As they were asked for.
    complete : bool
        Whether all that was wanted was played; else it was stopped.
    choices : tuple of Choice
        What can be done, the best first.
    by : {"wins", "points"}
        What the best has most of.
    claims, others : float
    melding : bool
    turn : int
        The model of the other players, as for ``simulate``.
    seat_wind, prevalent_wind : int
        Winds as in a ``HandBatch``.
    winds_given : bool
        Whether the hand named its winds; else they are taken to be east.
    rules : str
        Name of the rule profile.
    offered, source : str
        The tile that is offered and who discards it, empty when none is.
    visible : str
        Tiles seen elsewhere.
    """

    hand: str
    policy: str
    draws: int
    min_fan: int
    seed: int
    complete: bool
    choices: tuple[Choice, ...]
    by: str = "wins"
    claims: float = 0.0
    others: float = 0.0
    melding: bool = False
    turn: int = 0
    seat_wind: int = 0
    prevalent_wind: int = 0
    winds_given: bool = field(default=False)
    rules: str = ""
    offered: str = ""
    source: str = ""
    visible: str = ""

    @property
    def title(self) -> str:
        """The hand and the model in a line."""
        offer = f", {self.offered} from the {self.source}" if self.offered else ""
        model = [f"turn {self.turn + 1}, {self.draws} rounds to come"]
        if self.claims:
            model.append(f"others discard {self.claims:.0%} of what they draw")
        often = "as in real games" if self.others == 1 else f"{self.others:g} times as often"
        model.append(f"others win {often}" if self.others else "nobody else wins")
        model.append("melds are claimed" if self.melding else "no melds are claimed")
        winds = f"{_WINDS[self.prevalent_wind]} round, seat {_WINDS[self.seat_wind]}"
        model.append(winds + ("" if self.winds_given else " (none stated)"))
        wanted = f"{self.min_fan} fan" + (f" by {self.rules}" if self.rules else "")
        known = any(one.wins or one.distance != UNKNOWN for one in self.choices)
        model.append(wanted if known else f"{wanted} (no such hand was found)")
        model.append(f"policy {self.policy}")
        return f"{self.hand}{offer.replace('the across', 'across')}: {'; '.join(model)}"

    def _repr_html_(self) -> str:
        rows = []
        for choice in self.choices:
            name, _, said = str(choice).partition(": ")
            tiles = [] if choice.discard is None else [choice.discard]
            rows.append([tiles_pictures([tiles]), name, said])
        shown = table(["", "choice", ""], rows)
        return page(hand_picture(self.hand), str(self).splitlines()[0], shown)

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  {choice}" for choice in self.choices)])


def choice_of(
    candidate: Candidate, tally: Tally, place: int, best: int, distance: int, exact: bool
) -> Choice:
    """What the samples of a hand came to."""
    samples, wins = int(tally.samples[place]), int(tally.sums[WINS, place, place])
    unknown = float("nan")
    total = Counter({base + tally.flowers: n for base, n in sorted(tally.base[place].items())})
    melds = tally.melds[place] / wins if wins else np.full(tally.melds.shape[1], unknown)
    drawn = tally.ends[place, at.BY_DRAW] / wins if wins else unknown
    fans = {FANS[fan].zh: int(n) for fan, n in enumerate(tally.fans[place]) if n}
    # turn 0 is "never"; the first column that counts is round 1
    by_turn = tally.turns[:, place, 1:].cumsum(1) / samples
    return Choice(
        candidate.action, candidate.discard,
        Meld.from_code(candidate.meld) if candidate.meld else None, samples, wins,
        *tally.mean(WINS, place), *tally.mean(PAYMENTS, place),
        *tally.behind(WINS, place, best), *tally.behind(PAYMENTS, place, best),
        by_turn[0, :-1], by_turn[1, :-1], by_turn[2, :-1],
        *mean_of(tally.base[place]), *tally.mean_gain(place),
        float(drawn), tuple(melds.tolist()),
        {name: float(tally.ends[place, end] / samples) for name, end in _LOSSES.items()},
        dict(total), dict(sorted(fans.items(), key=lambda item: -item[1])),
        int(tally.plain[place]), distance, exact,
    )  # fmt: skip
