"""Every decision of a player of a recorded game, held to roll-outs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..records import Game
from ..rules import GB98, NationalRulesLike, national_rules
from ..scoring.settlement import settle
from ..value import Choice, simulate
from ..value.model import CLAIMS
from ..value.simulation import By, Policy
from .asked import GIVERS, Question, plain_question, questions
from .journal import Journal

#: A difference of so many standard errors is one.
_SURE = 2.0


@dataclass(frozen=True)
class Option:
    """What could be done, and what came of it.

    Attributes
    ----------
    name : str
        As ``Choice.name``: of a claim with the best discard behind it.
    action : str
        Which of ``Question.actions`` it is.
    samples : int
        Roll-outs; 0 of a win, which is certain.
    win_chance, win_error, payment, payment_error : float
        As for ``Choice``.
    win_cost, win_cost_error, payment_cost, payment_cost_error : float
        How much less they are than those of the best option, with the standard errors of these
        differences.
    """

    name: str
    action: str
    samples: int
    win_chance: float
    win_error: float
    payment: float
    payment_error: float
    win_cost: float
    win_cost_error: float
    payment_cost: float
    payment_cost_error: float


@dataclass(frozen=True)
class Decision:
    """A decision of a game, and what else could have been done.

    Attributes
    ----------
    question : Question
        What the player was asked, and did.
    by : {"wins", "points"}
        What the options are ranked by.
    options : tuple of Option
        All that could be done, the best first.
    """

    question: Question
    by: str
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """What is best."""
        return self.options[0]

    @property
    def done(self) -> Option:
        """What was done."""
        return next(one for one in self.options if one.action == self.question.done)

    @property
    def verdict(self) -> str:
        """``best``, ``close`` (not surely worse: within two standard errors) or ``worse``."""
        done = self.done
        if done is self.best:
            return "best"
        cost, error = (
            (done.payment_cost, done.payment_cost_error)
            if self.by == "points"
            else (done.win_cost, done.win_cost_error)
        )
        return "worse" if cost > _SURE * error else "close"


@dataclass(frozen=True)
class Review:
    """The decisions of a player of a game.

    Attributes
    ----------
    game : Game
    player : int
        0-3, east first.
    settings : dict
        By what they were held to roll-outs.
    decisions : tuple of Decision
        In the order of the game.
    complete : bool
        Whether these are all; else it was stopped.
    """

    game: Game
    player: int
    settings: dict[str, Any]
    decisions: tuple[Decision, ...]
    complete: bool

    @property
    def win_cost(self) -> float:
        """What all decisions cost in chances to win, added up."""
        return sum(each.done.win_cost for each in self.decisions)

    @property
    def payment_cost(self) -> float:
        """What all decisions cost in points, added up."""
        return sum(each.done.payment_cost for each in self.decisions)


def review_game(
    game: Game,
    player: int,
    *,
    by: By = "wins",
    seconds: float = 1.0,
    claims: float = CLAIMS,
    others: float = 1.0,
    policy: Policy = "weigh",
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    journal: Journal | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Hold every decision of a player to what roll-outs prefer.

    Parameters
    ----------
    game : Game
        As from ``read_games``.
    player : int
        0-3, east first.
    by, claims, others, policy, rules, min_fan, threads
        As for ``simulate``.
    seconds : float
        About how long to play a decision on; a hundred roll-outs of each option at least.
    seed : int
        As for ``simulate``; the number of roll-outs, and so the result, depends on the machine too.
    journal : Journal, optional
        Keeps what has been found: decisions that are in it are not played on again.
    progress : callable, optional
        Called with the decisions done and all of them.

    Returns
    -------
    Review
        After Ctrl-C with the decisions done so far.

    Raises
    ------
    BadRecord
        When an event cannot have happened.
    ValueError
        For a bad argument.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> found = review_game(play_game(seed=1), 3, seconds=0.01)
    >>> decision = found.decisions[-1]
    >>> decision.question.done, decision.best.name, decision.verdict
    ('win', 'win', 'best')
    """
    rules = national_rules(rules)
    if min_fan is not None:
        rules = rules.replace(min_fan=min_fan)
    asked = questions(game, player, rules=rules)
    settings = {
        "by": by, "seconds": seconds, "claims": claims, "others": others, "policy": policy,
        "rules": rules.name, "min_fan": rules.min_fan, "seed": seed,
    }  # fmt: skip
    how = {
        "by": by, "claims": claims, "others": others, "policy": policy, "rules": rules,
        "seed": seed, "seconds": seconds, "threads": threads,
    }  # fmt: skip
    found: list[Decision] = []
    for question in asked:
        key = {"settings": settings, "question": plain_question(question)}
        known = journal.get(key) if journal is not None else None
        if known is not None:
            options = tuple(Option(**one) for one in known)
        else:
            try:
                options = _options(question, by, how)
            except KeyboardInterrupt:
                break
            if journal is not None:
                journal.add(key, [vars(one) for one in options])
        found.append(Decision(question, by, options))
        if progress:
            progress(len(found), len(asked))
    return Review(game, player, settings, tuple(found), len(found) == len(asked))


def _options(question: Question, by: str, how: dict[str, Any]) -> tuple[Option, ...]:
    """What could be done, the best first."""
    offer: dict[str, Any] = {}
    if question.offered:
        offer = {"offered": question.offered, "source": question.source}
    found = simulate(
        question.hand, visible=question.visible, turn=question.turn, draws=question.draws,
        only=[each for each in question.actions if each != "win"], samples=10**9, **offer, **how,
    )  # fmt: skip
    if not found.complete:
        raise KeyboardInterrupt
    options: dict[str, Option] = {}
    for choice in found.choices:
        one = _option(choice)
        options.setdefault(one.action, one)  # of the discards behind a claim the best is first
    ranked = list(options.values())
    if "win" in question.actions:
        ranked = _with_win(ranked, question, by)
    return tuple(ranked)


def _option(choice: Choice) -> Option:
    action = f"{choice.action} {choice.meld}" if choice.meld else choice.name
    return Option(
        choice.name, action, choice.samples, choice.win_chance, choice.win_error, choice.payment,
        choice.payment_error, choice.win_behind, choice.win_behind_error, choice.payment_behind,
        choice.payment_behind_error,
    )  # fmt: skip


def _with_win(ranked: list[Option], question: Question, by: str) -> list[Option]:
    """The options and winning now: what that brings is certain, so it has no error of its own."""
    giver = GIVERS.index(question.source) if question.source else -1
    paid = float(settle(question.win, 0, giver)[0])
    best = ranked[0]
    win = Option("win", "win", 0, 1.0, 0.0, paid, 0.0, 0.0, 0.0, 0.0, 0.0)
    if by == "wins" or paid >= best.payment:
        return [
            win,
            *(
                replace(
                    one, win_cost=1 - one.win_chance, win_cost_error=one.win_error,
                    payment_cost=paid - one.payment, payment_cost_error=one.payment_error,
                )
                for one in ranked
            ),
        ]  # fmt: skip
    win = replace(
        win, win_cost=best.win_chance - 1, win_cost_error=best.win_error,
        payment_cost=best.payment - paid, payment_cost_error=best.payment_error,
    )  # fmt: skip
    return sorted([*ranked, win], key=lambda one: -one.payment)
