"""Files of games: reading them, their wins scored, and what they declare otherwise than it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO

from ..hands.batch import HandBatch
from ..rules import FANS, GB98, Rules
from ..scoring.batch import score_batch
from ..scoring.settlement import settle
from .files import games_of, raw_records
from .format import BadRecord, Game
from .replays import Win, play_out

#: Wins that are scored at a time.
_AT_A_TIME = 4096


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
        return f"{self.what}: declared {self.declared or '-'}, computed {self.computed or '-'}"


def differences(
    won: Iterable[Win], *, rules: Rules = GB98, threads: int | None = None
) -> Iterator[tuple[Win, list[Difference]]]:
    """Each winning hand with what its log declares otherwise than it is computed.

    Of declared fans whose names are lost only the number and the times are compared.

    Parameters
    ----------
    won : iterable of Win
        As from ``wins``.
    rules : Rules
        Rule profile.
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
    stream = iter(won)
    while chunk := list(islice(stream, _AT_A_TIME)):
        batch = HandBatch.from_hands(win.hand for win in chunk)
        scores = score_batch(batch, rules=rules, threads=threads, fan_counts=True)
        assert scores.fan_counts is not None
        for win, total, counts in zip(
            chunk, scores.total.tolist(), scores.fan_counts.tolist(), strict=True
        ):
            fans = {FANS[fan].zh: times for fan, times in enumerate(counts) if times}
            yield win, list(_compare(win, total, fans))


def _compare(win: Win, total: int, fans: dict[str, int]) -> Iterator[Difference]:
    game = win.game
    if game.total != total:
        yield Difference(win, "total", str(game.total), str(total))
    if game.fans or game.unnamed:
        missing, found = _only(game.fans, fans), _only(fans, game.fans)
        unlike = missing or sorted(times for _, times in found) != sorted(game.unnamed)
        if unlike or (game.unnamed and game.total != total):
            missing += [("?", times) for times in game.unnamed]
            yield Difference(win, "fans", _listed(missing), _listed(found))
    due = settle(total, win.player, None if win.discarder < 0 else win.discarder).tolist()
    # A wrong total makes wrong scores: said once.
    if game.total == total and game.scores and list(game.scores) != due:
        yield Difference(win, "score", " ".join(map(str, game.scores)), " ".join(map(str, due)))


def _only(fans: dict[str, int], others: dict[str, int]) -> list[tuple[str, int]]:
    return [(name, times) for name, times in fans.items() if others.get(name) != times]


def _listed(fans: list[tuple[str, int]]) -> str:
    return " ".join(f"{name}×{times}" if times > 1 else name for name, times in fans)
