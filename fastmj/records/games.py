"""Files of games: reading them, their wins scored, and what they declare otherwise than it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch
from ..quoting import shown
from ..rules import FANS, GB98, NationalRulesLike, national_rules
from ..scoring.batch import score_batch
from ..scoring.settlement import BASIC_POINTS, settle, settle_false_win
from .displays import CALLED_FALSE, Displays, false_winner
from .files import games_of, raw_records
from .format import BadRecord, Game
from .replays import Win, play_out

#: Wins that are scored at a time, and games of which displays are.
_AT_A_TIME, _GAMES_AT_A_TIME = 4096, 512
_NAMES = tuple(fan.zh for fan in FANS)


def read_games(
    source: str | Path | TextIO | BinaryIO, on_error: Callable[[BadRecord], None] | None = None
) -> Iterator[Game]:
    """Games of a file: Botzone's text log, the judge's JSON, records of tziakcha, or PMN.

    The format is told by content. JSON may be one document, a list, or a document a line; a file
    may be packed (gzip), an archive (zip) may hold many of any kind.

    Parameters
    ----------
    source : str, Path or open file
        The file. What is no UTF-8 is read as GB18030.
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that cannot be read; the others are read all the
        same. Without it the error is raised.

    Yields
    ------
    Game

    Raises
    ------
    BadRecord, OSError

    Examples
    --------
    >>> import io
    >>> from fastmj.records import write_log
    >>> from fastmj.records.play import play_game
    >>> log = io.StringIO(write_log([play_game(seed=1), play_game(seed=2)]))
    >>> [game.name for game in read_games(log)]
    ['seed-1', 'seed-2']
    """
    for record in raw_records(source, on_error):
        yield from games_of(record, on_error)


def wins(
    games: Iterable[Game], on_error: Callable[[BadRecord], None] | None = None
) -> Iterator[Win]:
    """The winning hands of some games.

    Parameters
    ----------
    games : iterable of Game
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that breaks the rules; it is left out then.

    Yields
    ------
    Win

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> [win.player for win in wins(play_game(seed=seed) for seed in range(4))]
    [1, 3, 1, 0]
    """
    for game in games:
        try:
            yield from play_out(game).wins
        except BadRecord as error:
            if on_error is None:
                raise
            on_error(error)


@dataclass(frozen=True)
class Difference:
    """What a log declares otherwise than it is computed.

    Attributes
    ----------
    win : Win
        The hand.
    what : str
        ``"total"``, ``"fans"`` or ``"score"``.
    declared, computed : str
        The total; the fans that only one side has, with their times, as ``?`` those whose names
        are lost; what the players won or lost.
    """

    win: Win
    what: str
    declared: str
    computed: str

    def __str__(self) -> str:
        declared, computed = (shown(said or "-", 200) for said in (self.declared, self.computed))
        return f"{self.what}: declared {declared}, computed {computed}"


@dataclass(frozen=True)
class WrongDisplay:
    """What a judge's display says of a seat, or a record of a false win, that is otherwise.

    Attributes
    ----------
    game : Game
    player, line : int
        The seat, and where the event stands in the log.
    hand : str
        What the seat would win with.
    declared, computed : int
        The total, also below the minimum; -3 where the tiles do not win. What is declared is -6
        for a win that the record calls false, though it is one.
    """

    game: Game
    player: int
    line: int
    hand: str
    declared: int
    computed: int

    @property
    def called_false(self) -> bool:
        """Whether it is a win that the record calls false, not what a display says."""
        return self.declared == CALLED_FALSE

    def __str__(self) -> str:
        if self.called_false:
            return f"false win: it is a win of {self.computed}"
        return f"canHu: declared {self.declared}, computed {self.computed}"


@dataclass(frozen=True)
class Checked:
    """A game that was replayed, with what was compared.

    Attributes
    ----------
    game : Game
    wins : list of (Win, list of Difference)
        Its winning hands with what is declared otherwise.
    displays : int
        Number of ``canHu`` of single seats that were compared.
    wrong : list of WrongDisplay
        Those that are otherwise, and the wins that the record calls false.
    """

    game: Game
    wins: list[tuple[Win, list[Difference]]] = field(hash=False)
    displays: int
    wrong: list[WrongDisplay] = field(hash=False)


def check(
    games: Iterable[Game],
    *,
    rules: NationalRulesLike = GB98,
    threads: int | None = None,
    on_error: Callable[[BadRecord], None] | None = None,
) -> Iterator[Checked]:
    """Replay games and compare all that they declare: wins, false ones, what displays say.

    Parameters
    ----------
    games : iterable of Game
    rules : Rules or str
        Rule profile, or the name of one: gb98, wmo2006.
    threads : int, optional
        Threads to use, by default one a core.
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that breaks the rules; it is left out then. Without
        it the error is raised.

    Yields
    ------
    Checked

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> found = list(check(play_game(seed=seed) for seed in range(4)))
    >>> len(found), sum(bool(differing) for game in found for _, differing in game.wins)
    (4, 0)
    """
    rules = national_rules(rules)
    stream = iter(games)
    while chunk := list(islice(stream, _GAMES_AT_A_TIME)):
        displays = Displays()
        played: list[tuple[Game, list[Win]]] = []
        for game in chunk:
            try:
                played.append((game, displays.play_out(len(played), game).wins))
            except BadRecord as error:
                if on_error is None:
                    raise
                on_error(error)
        scored = differences(
            (win for _, won in played for win in won), rules=rules, threads=threads
        )
        numbers, wrong = displays.compare(len(played), rules, threads)
        for place, (game, won) in enumerate(played):
            seen = [WrongDisplay(game, *one) for one in wrong.get(place, ())]
            yield Checked(game, list(islice(scored, len(won))), numbers[place], seen)


def differences(
    won: Iterable[Win], *, rules: NationalRulesLike = GB98, threads: int | None = None
) -> Iterator[tuple[Win, list[Difference]]]:
    """Each winning hand with what its log declares otherwise than it is computed.

    Of declared fans whose names are lost only the number and the times are compared; of several
    winners of one tile not what they are paid, which is a site's own rule.

    Parameters
    ----------
    won : iterable of Win
        As from ``wins``.
    rules : Rules or str
        Rule profile, or the name of one: gb98, wmo2006.
    threads : int, optional
        Threads to use, by default one a core.

    Yields
    ------
    (Win, list of Difference)
        An empty list when all is the same.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> games = [play_game(seed=seed) for seed in range(4)]
    >>> sum(len(found) for _, found in differences(wins(games)))
    0
    """
    rules = national_rules(rules)
    stream = iter(won)
    while chunk := list(islice(stream, _AT_A_TIME)):
        batch = HandBatch.from_hands(win.hand for win in chunk)
        scores = score_batch(batch, rules=rules, threads=threads, fan_counts=True)
        assert scores.fan_counts is not None
        due = _due(chunk, scores.total)
        for win, total, points, counts in zip(
            chunk, scores.total.tolist(), due.tolist(), scores.fan_counts, strict=True
        ):
            fans = {_NAMES[fan]: int(counts[fan]) for fan in np.flatnonzero(counts)}
            yield win, list(_compare(win, total, fans, points))


def _due(won: list[Win], totals: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
    """What the players of each game win and lose, false wins among it."""
    winners = np.array([win.player for win in won], np.int64)
    givers = np.array([win.discarder for win in won], np.int64)
    due: npt.NDArray[np.int64] = settle(totals, winners, givers)
    base = np.array([win.game.base for win in won]) - BASIC_POINTS
    due += base[:, None] * np.where(winners[:, None] == np.arange(4), 3, -1)
    due += np.array([win.game.penalties for win in won], np.int64)
    return due


def false_win_due(game: Game) -> tuple[int, list[int]] | None:
    """Who declared the false win that a game ends with, and what it should cost and bring.

    The judge takes 30 points and gives 10 to each of the others. ``None`` for another end, or where
    the log has no scores. Who it was is the one that lost most.

    >>> import dataclasses
    >>> from fastmj.records.play import play_game
    >>> game = dataclasses.replace(play_game(seed=1), end="WH", scores=(10, -40, 10, 10))
    >>> false_win_due(game)
    (1, [10, -30, 10, 10])
    """
    player = false_winner(game)
    return None if player is None else (player, settle_false_win(player).tolist())


def _compare(win: Win, total: int, fans: dict[str, int], due: list[int]) -> Iterator[Difference]:
    game, said = win.game, win.declared
    if said.total != total:
        yield Difference(win, "total", str(said.total), str(total))
    if (said.fans or said.unnamed) and said.fans != fans:
        missing, found = _only(said.fans, fans), _only(fans, said.fans)
        unlike = missing or sorted(times for _, times in found) != sorted(said.unnamed)
        if unlike or (said.unnamed and said.total != total):
            missing += [("?", times) for times in said.unnamed]
            yield Difference(win, "fans", _listed(missing), _listed(found))
    # A wrong total makes wrong scores: said once.
    if said.total == total and game.scores and not game.others and list(game.scores) != due:
        yield Difference(win, "score", " ".join(map(str, game.scores)), " ".join(map(str, due)))


def _only(fans: dict[str, int], others: dict[str, int]) -> list[tuple[str, int]]:
    return [(name, times) for name, times in fans.items() if others.get(name) != times]


def _listed(fans: list[tuple[str, int]]) -> str:
    return " ".join(f"{name}×{times}" if times > 1 else name for name, times in fans)
