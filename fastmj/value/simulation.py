"""Monte Carlo: how often a hand wins, what it pays, and what is best done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from time import monotonic
from typing import Any, Literal, get_args

import numpy as np

from ..distance.reading import AnyHand, AnyMelds, HandRow, read_row
from ..hands.batch import HandBatch
from ..hands.tiles import Honors, format_tiles, tiles_of
from ..rules import GB98, NationalRulesLike, Rules, national_rules
from ..samples.arguments import MOST_DRAWS, Seed, resolve_seed, true_or_false, whole_between
from ..scoring.batch import score_batch
from ..threads import resolve_threads, run_chunks
from .candidates import among, answers_to, candidates_of, read_offer
from .lists import Root, root_of
from .model import CLAIMS, ROUNDS, Model, resolve_model
from .play import Answers, Candidate, Games, Rollouts, Table, Won
from .policy import ByFunction, PolicyFunction
from .results import Simulation, choice_of
from .tallies import PAYMENTS, WINS, Tally
from .targets import min_fan_shanten_batch, resolve_minimum, shown_tiles

Policy = Literal["weigh", "fan", "shanten"]
By = Literal["wins", "points"]
Source = Literal["left", "across", "right"]
#: Samples of a piece of work, and pieces between two looks at the standard error: the same whatever
#: the number of threads, so that a run stops where it would with any other.
PIECE, PIECES = 250, 8
#: Most samples.
MOST_SAMPLES = 10**12
#: Fewest samples before a run may stop, and errors that a choice must be behind to be dropped.
_LEAST, _CLEARLY = 2000, 4.0
#: The same where time is short: a piece of work between two looks at the clock, and fewest samples.
_SHORT_PIECE, _SHORT_LEAST = 100, 400


def simulate(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    offered: str | None = None,
    source: Source | None = None,
    only: Iterable[str] | None = None,
    by: By = "wins",
    draws: int | None = None,
    turn: int = 0,
    samples: int = 20_000,
    visible: Any = "",
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    seed: Seed = None,
    claims: float = CLAIMS,
    others: float = 1.0,
    melding: bool | None = None,
    policy: Policy | PolicyFunction = "weigh",
    standard_error: float | None = None,
    best: int = 3,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    honors: Honors = "chinese",
) -> Simulation:
    """Play a hand on many times, and compare what can be done with it.

    Parameters
    ----------
    hand, melds
        As for ``shanten``: a text, winds and flowers behind it, a ``Hand``, or counts with melds.
        Of a 14-tile hand (less 3 a meld) every discard and kong is played on, all against the same
        walls.
    offered : str, optional
        A tile that another player discards: letting it pass, every chow, pung and kong with every
        discard behind it, and winning are compared.
    source : {"left", "across", "right"}, optional
        Who discards the offered tile. A chow is claimed from the left only.
    only : iterable of str, optional
        Names of the choices to compare, as ``Choice.name`` has them, of a claim also without the
        discard behind it; by default all.
    by : {"wins", "points"}
        What the best choice has most of: wins, or what it gets and pays on average.
    draws : int, optional
        Rounds to come, at least 1: own draws, if nothing is claimed. By default what is left of 20
        and of the tiles not seen.
    turn : int
        Own turns that have been played. The wall is shorter by so many rounds, and others win more
        often.
    samples : int
        Roll-outs of each choice.
    visible : str or array_like of int
        Tiles seen in discards and others' melds: they are not drawn.
    rules : Rules or str
        Rule profile, or the name of one: gb98, wmo2006.
    min_fan : int, optional
        What a win must score, flowers aside; by default the profile's minimum. More than any hand
        has is not refused, for that depends on the profile: nothing wins, and the title says so.
    seed : int or Generator, optional
        0 to 2**63 - 1; a numpy ``Generator`` is asked for one; by default another each time. The
        result has it and depends on it, not on the number of threads.
    claims : float
        Probability 0-1 that a tile which another player draws is discarded so that the hand may win
        with it or claim it; else it stays hidden.
    others : float
        How often the other players win: 1 as in real games, 0 never.
    melding : bool, optional
        Whether the hand claims chows, pungs and kongs, and declares kongs. By default ``weigh``
        does, and a function is asked for discards alone; ``fan`` and ``shanten`` cannot.
    policy : {"weigh", "fan", "shanten"} or callable
        How to play, see the notes. A function takes a ``Turn`` of many hands at once and returns
        what each does.
    standard_error : float, optional
        Play on until the chance to win of the ``best`` choices is known as closely as this, and
        drop those that are clearly behind.
    best : int
        How many choices ``standard_error`` is about.
    seconds : float, optional
        Stop after about so long, whatever is known by then; choices that are clearly behind the
        ``best`` are dropped here, too. How many samples there are depends on the machine then.
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
    >>> found = simulate("[123m]456p13789s9pEE", samples=500, seed=1, threads=1)
    >>> found.choices[0].name, found.choices[0].win_chance > found.choices[-1].win_chance
    ('9p', True)

    Self-draws alone, for which the chances can be worked out (``exact_chances``):

    >>> found = simulate(
    ...     "123456789m1234p", samples=2000, seed=1, threads=1, draws=18, claims=0, others=0,
    ...     melding=False, policy="shanten",
    ... )
    >>> choice = found.choices[0]
    >>> bool(0.6 < choice.win_chance < 0.8), choice.ready_by_turn[0].item()
    (True, 1.0)

    Whether to claim a tile:

    >>> found = simulate("2346m4588p6sWWCC", offered="C", source="left", samples=300, seed=1)
    >>> found.choices[0].action
    'claim'

    Notes
    -----
    **The game.** Each sample has a wall of its own, the same for all choices. Whoever's turn it is
    draws from it. Another player's tile is discarded with probability ``claims``; the hand may win
    with it, claim it for a pung or a melded kong, or for a chow from the left; a claim exposes the
    set, skips the players between, and is followed by a discard. A kong is replaced from the end of
    the wall. Each round each of the others may win, by a draw of his own or by a discard, also one
    of the hand: the chance rises with the round. A sample ends with the first win or with the wall.
    What a win or a loss pays is what ``settle`` says; another player's win is worth 12.5 points.
    Robbing a kong and the fans of the last tile are not looked at.

    **Policy** ``weigh``: at the start the complete hands are listed that score ``min_fan`` by some
    last tile, drawn or discarded, up to two tiles behind the nearest. Each has a weight for a hand:
    the square of the share of its last tiles that score enough, by self-draw and three times by
    discard, times the squared chance to get what is missing in the rounds left. The hand discards
    the tile after which the weights sum up to most. It claims a tile when the sum after that, over
    the hands that still score with the meld exposed, exceeds the one of passing.

    **Policy** ``shanten``: a tile that does not bring the hand nearer to any complete hand is
    discarded again; after one that does, the discard that leaves the lowest shanten, then accepts
    most copies not yet seen.

    **Policy** ``fan``: at the start the complete hands are listed that score ``min_fan`` and miss
    the fewest tiles, and those that miss one more, at most 3000 in all. A drawn tile that none of
    the nearest ones wants is discarded again. After any other, what is left shall miss the fewest
    tiles of one of these hands; among such discards the one after which most copies not yet seen
    bring it nearer is taken, then the one that leaves most of the hands as near. Hands for which a
    tile is used up do not count. Where none is within seven tiles, it plays as ``shanten`` does.

    A tile that completes the hand with enough points always wins; it is the last of its kind when
    the three others lie open, in discards and exposed melds. Tiles that lie in the hand's own melds
    are gone, for being ready too.

    **Memory** does not grow with the samples: some megabytes, and for ``weigh`` up to some tens for
    the hands that it goes by.
    """
    rules = national_rules(rules)
    minimum = resolve_minimum(min_fan, rules)
    turn = whole_between("turn", turn, 0, MOST_DRAWS)
    samples = whole_between("samples", samples, 1, MOST_SAMPLES)
    best = whole_between("best", best, 1, MOST_SAMPLES)
    number = resolve_seed(seed)
    if not callable(policy) and policy not in get_args(Policy):
        names = ", ".join(map(repr, get_args(Policy)))
        raise ValueError(f"policy must be {names} or a function, got {policy!r}")
    if by not in get_args(By):
        raise ValueError(f"by must be 'wins' or 'points', got {by!r}")
    if standard_error is not None and not standard_error > 0:
        raise ValueError(f"standard_error must be above 0, got {standard_error!r}")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds!r}")
    melds_too = policy == "weigh" if melding is None else true_or_false("melding", melding)
    if melds_too and policy in ("fan", "shanten"):
        raise ValueError(f"melding: policy {policy!r} claims nothing")
    model = resolve_model(claims, others, melds_too, turn)
    game = _Game(
        hand, melds, visible, honors, offered, source, only, draws, minimum, model, policy, rules
    )
    return game.play(
        samples, number, by, standard_error, best, seconds, resolve_threads(threads), progress
    )


class _Game:
    """A hand made ready for the kernels."""

    def __init__(
        self, hand: AnyHand, melds: AnyMelds, visible: Any, honors: Honors, offered: str | None,
        source: Source | None, only: Iterable[str] | None, draws: int | None, minimum: int,
        model: Model, policy: Policy | PolicyFunction, rules: Rules,
    ):  # fmt: skip
        row = read_row(hand, visible, honors, (0, 1), melds)
        self.row, self.policy, self.model = row, policy, model
        root = root_of(row)
        self.offered, self.source = "", ""
        if offered is None and source is None:
            self.candidates = candidates_of(row, root, model.melding)
        else:
            tile, turns = read_offer(offered, source, honors)
            self.offered, self.source = str(offered), str(source)
            self.candidates = answers_to(root, tile, turns)
            if not model.melding:
                del self.candidates[1:]
        pool = self.candidates[0].root.unseen  # of an offered tile all have seen one more
        self.table = Table(
            pool, _resolve_draws(draws, model, len(pool)), minimum, row.winds, rules, model
        )
        self.engines: dict[Root, Any] = {}
        if self.offered:
            self.candidates += self._win(row, root, tile)
        if only is not None:
            self.candidates = among(self.candidates, only)
        for each in self.candidates:
            if each.root not in self.engines:
                self.engines[each.root] = self._engine(each.root)

    def _engine(self, root: Root) -> Any:
        """What plays the hands of a root."""
        if callable(self.policy):
            return ByFunction(self.table, self.policy)
        if self.policy == "weigh":
            return Games(self.table, root)
        return Rollouts(self.table, root, self.policy)

    def _win(self, row: HandRow, root: Root, tile: int) -> list[Candidate]:
        """Winning with the offered tile, if that is allowed."""
        seen = root.seen[tile]
        counts = root.counts.copy()
        counts[tile] += 1
        scores = score_batch(
            HandBatch(
                counts[None], melds=root.codes[None], win_tile=[tile],
                last_of_kind=bool(seen == 3 and counts[tile] == 1), **row.winds,
            ),
            rules=self.table.rules, threads=1,
        )  # fmt: skip
        if scores.status[0] or scores.base[0] < self.table.minimum:
            return []
        won = Candidate("win", 0, None, Root(root.counts, root.seen, root.codes), 0)
        self.engines[won.root] = Won(int(scores.base[0]), scores.fan_mask[0], root.codes)
        return [won]

    def play(
        self, samples: int, seed: int, by: By, error: float | None, best: int,
        seconds: float | None, threads: int, progress: Callable[[int, int], None] | None,
    ) -> Simulation:  # fmt: skip
        """Play in pieces until all is done, close enough known, or stopped."""
        candidates, which = self.candidates, WINS if by == "wins" else PAYMENTS
        flowers = int(self.row.circumstances.get("flowers", 0))
        tally = Tally(len(candidates), self.table.draws, flowers, self.table.rules)
        alive = np.arange(len(candidates))
        done, close, begun = 0, False, monotonic()
        pieces, piece, least = PIECES, PIECE, _LEAST
        if seconds is not None:
            pieces, piece, least = 1, _SHORT_PIECE, _SHORT_LEAST
        try:
            while done < samples and not close:
                stops = [min(done + piece * (i + 1), samples) for i in range(pieces)]
                edges = list(pairwise(sorted({done, *stops})))
                tally.add(alive, self._pieces(threads, alive, seed, edges))
                done = edges[-1][1]
                if progress:
                    progress(done, samples)
                if (error or seconds) and done >= least:
                    alive = _leaders(tally, alive, which, best)
                if error is not None and done >= _LEAST:
                    order = [place for place in tally.order(which) if place in alive][:best]
                    close = all(tally.mean(WINS, place)[1] <= error for place in order)
                close = close or (seconds is not None and monotonic() - begun >= seconds)
        except KeyboardInterrupt:
            if not done:
                raise
        whole = done == samples or close
        return self._result(tally, seed, by, whole)

    def _pieces(self, threads: int, alive: Any, seed: int, edges: list[tuple[int, int]]) -> Answers:
        """Answers of all hands that are still played; they are counted at once, which is faster."""
        groups: dict[Any, list[int]] = {}
        for row, place in enumerate(alive):
            root = self.candidates[place].root
            alone = isinstance(self.engines[root], Games)
            groups.setdefault((root, place if alone else 0), []).append(row)
        jobs = [(ends, rows) for ends in edges for rows in groups.values()]
        begin = edges[0][0]
        whole = Answers.empty(len(alive), edges[-1][1] - begin)

        def work(start: int, stop: int) -> None:
            for (first, last), rows in jobs[start:stop]:
                hands = [self.candidates[alive[row]] for row in rows]
                found = self.engines[hands[0].root].play(hands, seed, first, last)
                whole.fill(rows, slice(first - begin, last - begin), found)

        run_chunks(work, len(jobs), 1 if callable(self.policy) else threads, 1)
        return whole

    def _result(self, tally: Tally, seed: int, by: By, whole: bool) -> Simulation:
        """What it all came to."""
        order = tally.order(WINS if by == "wins" else PAYMENTS)
        near = self._distances()
        choices = tuple(
            choice_of(self.candidates[place], tally, place, order[0], *near[place])
            for place in order
        )
        name = self.policy if isinstance(self.policy, str) else _name_of(self.policy)
        table, model = self.table, self.model
        return Simulation(
            self.row.text, name, table.draws, table.minimum, seed, whole, choices, by,
            model.claims, model.others, model.melding, model.turn, table.winds["seat_wind"],
            table.winds["prevalent_wind"], "seat_wind" in self.row.circumstances,
            table.rules.name, self.offered, self.source,
            format_tiles(tiles_of(self.row.visible[0].tolist())),
        )  # fmt: skip

    def _distances(self) -> list[tuple[int, bool]]:
        """Distance of each hand to one that scores enough, and whether it is exact."""
        codes = np.array([each.root.codes for each in self.candidates])
        seen = np.array([each.seen for each in self.candidates])
        near = min_fan_shanten_batch(
            np.array([each.counts for each in self.candidates]), melds=codes,
            rules=self.table.rules, min_fan=self.table.minimum,
            self_drawn=self.model.claims == 0, visible=seen - shown_tiles(codes)[1], threads=1,
            **self.table.winds,
        )  # fmt: skip
        return list(zip(near.distance.tolist(), near.exact.tolist(), strict=True))


def _resolve_draws(draws: int | None, model: Model, unseen: int) -> int:
    """Rounds to come: what is asked for, or what is left of the wall."""
    most = unseen // model.a_round
    if draws is None:
        return max(1, min(ROUNDS - model.turn, most))
    draws = whole_between("draws", draws, 1, MOST_DRAWS)
    if draws > most:
        raise ValueError(
            f"{draws * model.a_round} tiles would be drawn, but only {unseen} are unseen"
        )
    return draws


def _leaders(tally: Tally, alive: Any, which: int, best: int) -> Any:
    """Hands that are not clearly behind the ``best`` first ones."""
    if len(alive) <= best:
        return alive
    last = [place for place in tally.order(which) if place in alive][best - 1]
    kept = []
    for place in alive:
        behind, error = tally.behind(which, int(place), last)
        if not behind > _CLEARLY * error:
            kept.append(place)
    return np.array(kept)


def _name_of(policy: Any) -> str:
    """Name of a policy function."""
    return str(getattr(policy, "__name__", type(policy).__name__))
