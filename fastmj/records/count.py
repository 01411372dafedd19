"""Statistics of recorded games: one pass, in bounded memory, on all cores."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np

from ..distance import shanten_batch
from ..hands.batch import HandBatch
from ..hands.tiles import KINDS
from ..rules import GB98, NationalRulesLike, Rules, national_rules
from ..scoring.batch import score_batch
from ..threads import resolve_threads
from .files import RawRecord, games_of, raw_records
from .format import BadRecord, EventKind, Game
from .replays import Table, Win, check_end
from .tallies import WALL_BITS, Statistics

#: Games that are counted at a time, and raw records that a process is handed at a time.
_AT_A_TIME, _HANDED = 512, 128
#: Bytes of files from which on more processes are worth their start.
_WORTH_IT = 24 << 20
_CLAIMS = (EventKind.CHOW, EventKind.PUNG, EventKind.KONG)

OnError = Callable[[BadRecord], None]
Progress = Callable[[int, int], None]
_Part = tuple[Statistics, list[BadRecord]]


def statistics(
    games: Iterable[Game],
    *,
    rules: NationalRulesLike = GB98,
    threads: int | None = None,
    on_error: OnError | None = None,
) -> Statistics:
    """Statistics of some games.

    Parameters
    ----------
    games : iterable of Game
        Any number, as from ``read_games``.
    rules : Rules
        Rule profile by which the winning hands are scored; points are those that the records say.
    threads : int, optional
        Threads for the scoring, by default one a core.
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that breaks the rules; it is only counted as such.
        Without it the error is raised.

    Returns
    -------
    Statistics

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> found = statistics(play_game(seed=seed) for seed in range(8))
    >>> found.games, found.wins, found.seats[1].wins, round(found.seats[1].mean, 2)
    (8, 8, 3, 14.0)
    """
    found, rules = Statistics(), national_rules(rules)
    stream = iter(games)
    while chunk := list(islice(stream, _AT_A_TIME)):
        found.merge(_count(chunk, rules, threads, on_error))
    return found


def statistics_of_files(
    paths: Sequence[str | Path],
    *,
    rules: NationalRulesLike = GB98,
    workers: int | None = None,
    on_error: OnError | None = None,
    progress: Progress | None = None,
) -> Statistics:
    """Statistics of the games in files of any format, read by several processes.

    Parameters
    ----------
    paths : sequence of str or Path
    rules : Rules
        Rule profile by which the winning hands are scored.
    workers : int, optional
        Processes, by default one a core, or none beside this one for less than 24 MiB. They are
        started anew, so a script that calls this needs ``if __name__ == "__main__"``. The result
        does not depend on them.
    on_error : callable, optional
        Called with the ``BadRecord`` of a record that cannot be read or replayed, in the order of
        the files; it is only counted as such. Without it the error is raised.
    progress : callable, optional
        Called with the bytes that have been read, and those there are.

    Returns
    -------
    Statistics

    Raises
    ------
    BadRecord, OSError

    Examples
    --------
    >>> found = statistics_of_files(["tests/records/games.txt"])
    >>> found.games, found.totals[31]
    (4, 1)
    """
    rules = national_rules(rules)
    sizes = [Path(path).stat().st_size for path in paths]
    number = resolve_threads(workers)
    if workers is None and sum(sizes) < _WORTH_IT:
        number = 1
    found = Statistics()
    errors: list[BadRecord] = []

    def told() -> None:
        found.bad += len(errors)
        for error in errors:
            if on_error is None:
                raise error
            on_error(error)
        errors.clear()

    with ExitStack() as stack:
        pool: ProcessPoolExecutor | None = None
        if number > 1:
            context = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(number, mp_context=context))
        waiting: deque[Future[_Part]] = deque()
        for chunk, done in _chunks(paths, errors.append):
            if pool is None:
                _merge(_count_records(chunk, rules), found, errors)
            else:
                waiting.append(pool.submit(_count_records, chunk, rules))
                while len(waiting) > 2 * number:
                    _merge(waiting.popleft().result(), found, errors)
            told()
            if progress is not None:
                progress(done, sum(sizes))
        while waiting:
            _merge(waiting.popleft().result(), found, errors)
            told()
    told()
    return found


def _merge(part: _Part, found: Statistics, errors: list[BadRecord]) -> None:
    found.merge(part[0])
    errors += part[1]


def _chunks(
    paths: Sequence[str | Path], on_error: OnError
) -> Iterator[tuple[list[RawRecord], int]]:
    """Raw records of files, some at a time, with the bytes read so far."""
    before = 0
    for path in paths:
        with Path(path).open("rb") as stream:
            records = raw_records(stream, on_error)
            while chunk := list(islice(records, _HANDED)):
                yield chunk, before + _position(stream)
            before += stream.seek(0, 2)


def _position(stream: BinaryIO) -> int:
    return 0 if stream.closed else stream.tell()


def _count_records(records: list[RawRecord], rules: Rules) -> _Part:
    """Statistics of raw records, and those that are bad."""
    bad: list[BadRecord] = []
    games = (game for record in records for game in games_of(record, bad.append))
    found = Statistics()
    while chunk := list(islice(games, _AT_A_TIME)):
        found.merge(_count(chunk, rules, 1, bad.append))
    found.bad = 0  # whoever tells of the errors counts them
    return found, bad


def _count(
    games: list[Game], rules: Rules, threads: int | None, on_error: OnError | None
) -> Statistics:
    """Statistics of some games, counted together."""
    found, hands = Statistics(), _Hands()
    won: list[tuple[Win, int]] = []
    for game in games:
        try:
            play = _Play(game, hands)
        except BadRecord as error:
            if on_error is None:
                raise
            on_error(error)
            found.bad += 1
        else:
            play.count(found)
            won += play.won
    _count_ready(found, hands, threads)
    _count_wins(found, won, rules, threads)
    found.bound()
    return found


class _Hands:
    """Hands of players after each discard, with who they are and when."""

    def __init__(self) -> None:
        self.counts = bytearray()
        self.melds = bytearray()
        self.turns = bytearray()
        self.owners: list[tuple[int, str]] = []  # seat and name of each run of hands
        self.lengths: list[int] = []


class _Play:
    """A game that is replayed, with the turns of what happens in it."""

    def __init__(self, game: Game, hands: _Hands):
        self.game = game
        self.melds: list[tuple[int, int, int]] = []  # player, which of the player's, turn
        self.false_wins = [0] * 4
        self._exposed = [0] * 4
        self._turns = [0] * 4
        table = self.table = Table(game)
        held = [bytearray(hand) for hand in table.hands]
        melds = [bytearray(1) for _ in range(4)]
        for event in game.events:
            table.apply(event)
            player, kind = event.player, event.kind
            if kind == EventKind.PLAY:
                self._turns[player] += 1
                held[player] += table.hands[player]
                melds[player].append(len(table.melds[player]))
            elif kind in _CLAIMS:
                self.melds.append((player, self._exposed[player], self._turns[player] + 1))
                self._exposed[player] += 1
            elif kind == EventKind.FALSE_WIN:
                self.false_wins[player] += 1
        check_end(table)
        self.won = [(win, self._turns[win.player] + 1) for win in table.wins]
        names = game.players or ("",) * 4
        for player in range(4):
            hands.counts += held[player]
            hands.melds += melds[player]
            hands.turns += bytes(range(len(melds[player])))
            hands.owners.append((player, names[player]))
            hands.lengths.append(len(melds[player]))

    def count(self, found: Statistics) -> None:
        """Count all but what is scored."""
        game = self.game
        found.games += 1
        found.wins += len(self.won)
        found.draws += game.end == "draw"
        found.mistakes += game.end not in ("win", "draw")
        dealt = bytes([game.prevalent_wind, *(tile for deal in game.deals for tile in deal)])
        wall = crc32(dealt) >> 32 - WALL_BITS >> WALL_BITS - found.wall_bits
        names = game.players or ("",) * 4
        tallies = [found.of(player, names[player]) for player in range(4)]
        for player in range(4):
            for tally in tallies[player]:
                tally.play(wall, game.scores[player])
                tally.draws += game.end == "draw"
                tally.false_wins += self.false_wins[player]
        for player, which, turn in self.melds:
            for tally in tallies[player]:
                tally.melds[which] += 1
                tally.meld_turns[which] += turn
        for win, turn in self.won:
            found.win_turns[turn] += 1
            for tally in tallies[win.player]:
                tally.wins += 1
                tally.self_drawn += win.discarder < 0
                tally.win_turns += turn
                tally.melds_at_win[sum(meld.is_exposed for meld in win.hand.melds)] += 1
        if self.won and self.won[0][0].discarder >= 0:
            for tally in tallies[self.won[0][0].discarder]:
                tally.deal_ins += 1


def _count_ready(found: Statistics, hands: _Hands, threads: int | None) -> None:
    """Count when players were ready first."""
    if not hands.lengths:
        return
    counts = np.frombuffer(bytes(hands.counts), np.uint8).reshape(-1, KINDS)
    melds = np.frombuffer(bytes(hands.melds), np.uint8)
    ready = shanten_batch(counts, melds=melds, threads=threads).best <= 0
    owner = np.repeat(np.arange(len(hands.lengths)), hands.lengths)
    rows = np.flatnonzero(ready)
    who, first = np.unique(owner[rows], return_index=True)
    turns = np.frombuffer(bytes(hands.turns), np.uint8)[rows[first]]
    for number, turn in zip(who.tolist(), turns.tolist(), strict=True):
        found.ready_turns[turn] += 1
        for tally in found.of(*hands.owners[number]):
            tally.ready += 1
            tally.ready_turns += turn


def _count_wins(
    found: Statistics, won: list[tuple[Win, int]], rules: Rules, threads: int | None
) -> None:
    """Count totals and fans."""
    if not won:
        return
    batch = HandBatch.from_hands(win.hand for win, _ in won)
    scores = score_batch(batch, rules=rules, threads=threads, fan_counts=True)
    assert scores.fan_counts is not None
    counts = scores.fan_counts.astype(np.int64)
    found.totals.update(scores.total.tolist())
    found.fan_hands += np.count_nonzero(counts, axis=0)
    found.fan_times += counts.sum(axis=0)
    found.fan_turns += np.array([turn for _, turn in won]) @ (counts > 0)
