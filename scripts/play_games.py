"""Whole games among four players, and whether the model of one hand agrees with them.

``python scripts/play_games.py`` lets one player that weighs play seeded games against three that go
by plain shanten with melds, seats rotated, and against three of its like; holds the latter to real
games and to the roll-outs of one hand; ``--write`` puts the tables into fastmj/value/README.md.
``--keep FOLDER`` keeps the games there and goes on from those that it finds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fastmj import (
    FANS,
    InvalidHand,
    Meld,
    discards_batch,
    random_deals,
    score_hand,
    settle,
    shanten_batch,
)
from fastmj.hands.tiles import NAMES, format_tiles, tiles_of
from fastmj.records import Event, EventKind, Game, Phase, Table, statistics
from fastmj.value import Advisor, Choice, simulate

sys.path.insert(0, str(Path(__file__).parent))
import pages

WALL = 136
#: Games that a process is handed at a time: the four seatings of a wall.
STEP = 4
_SPAWN = multiprocessing.get_context("spawn")
_CHOW, _PUNG, _KONG, _CONCEALED = 1, 35, 69, 103
SOURCES = ("", "right", "across", "left")


@dataclass(frozen=True)
class View:
    """What a player sees: concealed tiles, melds, all that lies open, and the round, from 0 on."""

    player: int
    counts: Any
    codes: Any
    visible: Any
    round: int
    wind: int


def view_of(table: Table, player: int, round_: int) -> View:
    """What a player sees of a table; a tile that is offered lies nowhere yet."""
    codes = np.frombuffer(table.codes, np.uint8)[4 * player : 4 * player + 4].copy()
    visible = np.frombuffer(table.visible, np.uint8).astype(np.int64)
    for meld in table.melds[player]:
        for tile in meld.tiles if meld.is_exposed else ():
            visible[tile] -= 1
    counts = np.frombuffer(bytes(table.hands[player]), np.uint8)
    return View(player, counts, codes, visible, round_, table.game.prevalent_wind)


class Weighs:
    """A player that goes by ``Advisor``."""

    def __init__(self) -> None:
        self.advisor = Advisor()

    def hand(self, view: View) -> dict[str, Any]:
        """The position as the advisor takes it."""
        melds = "".join(str(Meld.from_code(int(code))) for code in view.codes if code)
        winds = "ESWN"[view.wind] + "ESWN"[view.player]
        text = f"{melds}{format_tiles(tiles_of(view.counts.tolist()))}|{winds}"
        return {"hand": text, "visible": view.visible, "turn": view.round}

    def turn(self, view: View, kongs: bool) -> int:
        """A tile to discard, or 34 and a kong's code."""
        advice = self.advisor.discard(**self.hand(view), kongs=kongs)
        return 34 + advice.meld.code if advice.meld else NAMES.index(advice.tile)

    def answer(self, view: View, tile: int, source: int) -> int:
        """Code of the meld to claim a tile for, or 0."""
        hand = self.hand(view)
        advice = self.advisor.answer(
            hand.pop("hand"), offered=NAMES[tile], source=SOURCES[source], **hand
        )
        return advice.meld.code if advice.meld else 0


class GoesByShanten:
    """A plain player: lowest shanten, then most tiles accepted; claims what lowers the shanten."""

    def turn(self, view: View, kongs: bool) -> int:
        """A tile to discard."""
        found = discards_batch(
            view.counts[None], melds=view.codes[None], visible=view.visible[None], threads=1
        )
        worth = 1000 * found.shanten[0].astype(int) - found.copies[0]
        return int(np.where(view.counts > 0, worth, 99_999).argmin())

    def answer(self, view: View, tile: int, source: int) -> int:
        """Code of the chow or pung to claim a tile for, or 0."""
        ways, hands = [0], [view.counts]
        if view.counts[tile] >= 2:
            ways.append(_PUNG + tile)
            hands.append(view.counts - 2 * np.eye(34, dtype=np.uint8)[tile])
        for low in range(tile - 2, tile + 1) if source == 3 and tile < 27 else ():
            others = [each for each in range(low, low + 3) if each != tile]
            if low // 9 == tile // 9 and low % 9 <= 6 and all(view.counts[others]):
                ways.append(_CHOW + low)
                hands.append(view.counts - np.eye(34, dtype=np.uint8)[others].sum(0, np.uint8))
        if len(ways) == 1 or view.codes[3]:
            return 0
        melds = (view.codes > 0).sum() + np.array([0] + [1] * (len(ways) - 1))
        best = shanten_batch(np.array(hands), melds=melds, threads=1).best
        return ways[int(best.argmin())]


PLAYERS: dict[str, Callable[[], Any]] = {"weigh": Weighs, "shanten": GoesByShanten}


class Play:
    """One seeded game: a wall of 136, replaced from its back; kongs are not robbed."""

    def __init__(self, seed: int, names: Sequence[str]):
        self.players = [PLAYERS[name]() for name in names]
        random = np.random.default_rng([seed, 136])
        self.tiles = random.permutation(np.repeat(np.arange(34), 4)).tolist()
        deals = tuple(tuple(self.tiles[13 * seat : 13 * seat + 13]) for seat in range(4))
        self.front, self.back = 52, WALL
        names = tuple(names)
        self.game = Game(
            f"seed-{seed}", int(random.integers(4)), deals, (), None, {}, (0, 0, 0, 0), "draw",
            players=names, wall=WALL,
        )  # fmt: skip
        self.table, self.events = Table(self.game), []

    @property
    def round(self) -> int:
        """Rounds of the wall that have been drawn."""
        return max(self.front - 53, 0) // 4

    def do(self, kind: EventKind, player: int, tile: int) -> None:
        """Carry out an event."""
        self.events.append(Event(kind, player, tile))
        self.table.apply(self.events[-1])

    def wins(self, player: int) -> bool:
        """Whether a player wins now."""
        try:
            return bool(score_hand(self.table.hand(player)).wins)
        except InvalidHand:
            return False

    def play(self) -> Game:
        """Play the game to its end."""
        player, replaces = 0, False
        while self.front < self.back:
            self.draw(player, replaces)
            if self.wins(player):
                return self.ended(player, -1)
            out = self.move(player)
            if out >= 34:
                self.kong(player, out - 34)
                replaces = True
                continue
            replaces = False
            while out >= 0:
                self.do(EventKind.PLAY, player, out)
                others = [(player + step) % 4 for step in (1, 2, 3)]
                winner = next((other for other in others if self.wins(other)), -1)
                if winner >= 0:
                    return self.ended(winner, player)
                claimer, code = self.claim(player, out)
                if code == 0:
                    player, out = (player + 1) % 4, -1
                    continue
                self.expose(claimer, code, out)
                player = claimer
                replaces = code >= _KONG
                out = -1 if replaces else self.move(player)
        return self.ended(-1, -1)

    def draw(self, player: int, replaces: bool) -> None:
        """Draw from the front, or from the back behind a kong."""
        self.back -= replaces
        tile = self.tiles[self.back if replaces else self.front]
        self.front += not replaces
        self.do(EventKind.DRAW, player, tile)

    def move(self, player: int) -> int:
        """What a player does on the own turn."""
        kongs = self.table.phase == Phase.TURN and self.front < self.back
        view = view_of(self.table, player, self.round)
        return int(self.players[player].turn(view, kongs))

    def kong(self, player: int, code: int) -> None:
        """Declare a kong."""
        kind = EventKind.CONCEALED_KONG if code >= _CONCEALED else EventKind.ADDED_KONG
        self.do(kind, player, (code - _KONG) % 34)

    def claim(self, giver: int, tile: int) -> tuple[int, int]:
        """Who claims a discard for which meld: a pung or kong before a chow."""
        chow = -1, 0
        if self.front == self.back:
            return chow
        for step in (1, 2, 3):
            other = (giver + step) % 4
            view = view_of(self.table, other, self.round)
            code = self.players[other].answer(view, tile, 4 - step)
            if code >= _PUNG:
                return other, code
            if code:
                chow = other, code
        return chow

    def expose(self, player: int, code: int, tile: int) -> None:
        """Lay a claimed meld down."""
        if code < _PUNG:
            self.do(EventKind.CHOW, player, code - _CHOW + 1)
        else:
            self.do(EventKind.KONG if code >= _KONG else EventKind.PUNG, player, tile)

    def ended(self, winner: int, discarder: int) -> Game:
        """The game with its result."""
        if winner < 0:
            return replace(self.game, events=tuple(self.events))
        score = score_hand(self.table.hand(winner))
        scores = settle(score.total, winner, None if discarder < 0 else discarder).tolist()
        self.do(EventKind.WIN, winner, self.table.tile)
        return replace(
            self.game, events=tuple(self.events), total=score.total, fans=score.fans,
            scores=tuple(scores), end="win",
        )  # fmt: skip


def games_of(names: Sequence[str], first: int, stop: int) -> list[Game]:
    """Some games; the seats rotate, four games a wall, when not all players are alike."""
    found = []
    for number in range(first, stop):
        alike = len(set(names)) == 1
        seats = [names[(seat - number) % 4] for seat in range(4)]
        found.append(Play(number if alike else number // 4, names if alike else seats).play())
    return found


def played(other: str, given: argparse.Namespace) -> list[Game]:
    """Games of one player against three others: as many as asked for, or as the time allows."""
    names, begun = ["weigh", other, other, other], time.monotonic()
    kept = Path(given.keep) / f"{other}.pickle" if given.keep else None
    found = pickle.loads(kept.read_bytes()) if kept and kept.exists() else []
    with ProcessPoolExecutor(given.workers, mp_context=_SPAWN) as pool:
        edges = iter(range(len(found), given.games, STEP))
        waiting: deque[Any] = deque()
        for at in edges:
            waiting.append(pool.submit(games_of, names, at, min(at + STEP, given.games)))
            if len(waiting) >= 2 * given.workers:
                found += waiting.popleft().result()
                sys.stderr.write(f"\r{other}: {len(found)} games")
            if time.monotonic() - begun > given.seconds:
                break
        for job in waiting:
            found += job.result()
    if kept:
        kept.write_bytes(pickle.dumps(found))
    return found[: given.games]


#: What real games give (shares of wins but for the first rows): 12,288 duplicate games of strong
#: programs; 56 ladder games and 110 collected wins; 3.4 million wins of a program on a site.
REAL = {
    "games that nobody won": "1.6%",
    "games that a seat won": "23-25%",
    "games that a seat lost by its discard": "16.5-17.8%",
    "self-drawn wins": "30%, 25%",
    "wins with 0 melds": "33%",
    "wins with 1 meld": "27%",
    "wins with 2 melds": "29%",
    "wins with 3 or 4 melds": "11%",
    "points of a win": "12.1-12.7, 12.5",
    "wins of exactly 8": "15%",
    "the winner's draws": "10.8",
    "三色三步高": "23%",
    "五门齐": "12%",
    "混一色": "10%",
    "三色三同顺": "8%",
    "花龙": "8%",
    "不求人": "7%",
    "清龙": "5%",
    "碰碰和": "5%",
    "七对": "3%",
}
_FANS = tuple(REAL)[11:]


def draws_of(game: Game, player: int) -> int:
    """How often a player drew."""
    return sum(event.kind == EventKind.DRAW and event.player == player for event in game.events)


def counted(games: Sequence[Game]) -> dict[str, str]:
    """The rows of ``REAL`` in games that were played."""
    found = statistics(games)
    seats, wins = found.seats, found.wins
    melds = np.sum([seat.melds_at_win for seat in seats], 0) / wins
    draws = [draws_of(game, game.events[-1].player) for game in games if game.end == "win"]
    shares = {fan.zh: times / wins for fan, times in zip(FANS, found.fan_hands, strict=True)}
    return _rows(
        found.draws / found.games, wins / found.games / 4,
        sum(seat.deal_ins for seat in seats) / found.games / 4,
        sum(seat.self_drawn for seat in seats) / wins, melds, found.mean_total,
        found.totals[8] / wins, float(np.mean(draws)), shares,
    )  # fmt: skip


def dealt(first: int, stop: int, samples: int) -> list[Choice]:
    """What roll-outs of some seeded deals, as they stand, come to."""
    deals = random_deals(stop, seed=1)[first:]
    return [
        simulate(deal, samples=samples, seed=first + place, threads=1).choices[0]
        for place, deal in enumerate(deals)
    ]


def rolled_out(given: argparse.Namespace) -> list[Choice]:
    """The same of all deals, by all workers."""
    firsts = range(0, given.deals, STEP)
    with ProcessPoolExecutor(given.workers, mp_context=_SPAWN) as pool:
        stops = [min(first + STEP, given.deals) for first in firsts]
        parts = pool.map(dealt, firsts, stops, [given.samples] * len(stops))
        return [choice for part in parts for choice in part]


def modelled(each: Sequence[Choice]) -> dict[str, str]:
    """The same rows of roll-outs."""
    deals = len(each)
    games, wins = sum(choice.samples for choice in each), sum(choice.wins for choice in each)
    ends = {end: sum(choice.ends[end] for choice in each) / deals for end in each[0].ends}
    turns = sum(
        choice.samples * float((np.diff(choice.win_by_turn, prepend=0) * _one_on(choice)).sum())
        for choice in each
    )
    fans = {name: sum(choice.fans.get(name, 0) for choice in each) / wins for name in _FANS}
    won = [choice for choice in each if choice.wins]
    melds = np.sum([np.array(choice.melds) * choice.wins for choice in won], 0) / wins
    totals = sum((Counter(choice.totals) for choice in won), Counter())
    return _rows(
        ends["drawn"], wins / games, ends["dealt_in"],
        sum(choice.self_drawn * choice.wins for choice in won) / wins, melds,
        sum(total * times for total, times in totals.items()) / wins, totals[8] / wins,
        turns / wins, fans,
    )  # fmt: skip


def _one_on(choice: Choice) -> Any:
    return np.arange(1, len(choice.win_by_turn) + 1)


def _rows(
    nobody: float, won: float, lost: float, drawn: float, melds: Any, points: float, eights: float,
    draws: float, fans: dict[str, float],
) -> dict[str, str]:  # fmt: skip
    shares = [nobody, won, lost, drawn, *melds[:3], melds[3:].sum()]
    texts = [*(f"{x:.1%}" for x in shares), f"{points:.1f}", f"{eights:.0%}", f"{draws:.1f}"]
    return dict(zip(REAL, [*texts, *(f"{fans[name]:.0%}" for name in _FANS)], strict=True))


def fit(games: Sequence[Game], each: Sequence[Choice]) -> list[str]:
    """Real, played and modelled numbers side by side."""
    play, model = counted(games), modelled(each)
    return [
        f"| | real games | {len(games):,} played games | the model, {len(each):,} deals |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {REAL[name]} | {play[name]} | {model[name]} |" for name in REAL),
    ]


def results(games: dict[str, Sequence[Game]]) -> list[str]:
    """What one player wins among others."""
    lines = [
        "| one that `weigh`s against three that | games | it wins | each of them | nobody "
        "| its points a game |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for other, found in games.items():
        one = list(_ones(found, other))
        scores = np.array([game.scores[seat] for game, seat in zip(found, one, strict=True)])
        wins = np.array([game.scores[seat] > 0 for game, seat in zip(found, one, strict=True)])
        nobody = sum(game.end == "draw" for game in found) / len(found)
        rest = (1 - nobody - wins.mean()) / 3
        lines.append(
            f"| {other} | {len(found):,} | {_mean(100 * wins)}% | {rest:.1%} | {nobody:.1%} "
            f"| {_mean(scores)} |"
        )
    return lines


def _ones(games: Sequence[Game], other: str) -> Iterator[int]:
    """The seat of the one player in each game."""
    for number, game in enumerate(games):
        yield number % 4 if other == "weigh" else game.players.index("weigh")


def _mean(values: Any) -> str:
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.1f} ± {error:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and write the tables into the page of the room on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=900, help="no game begins after so long")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", help="a folder in which games are kept and looked for")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into fastmj/value/README.md"
    )
    given = parser.parse_args(arguments)
    games = {other: played(other, given) for other in ("shanten", "weigh")}
    tables = {
        "played": results(games),
        "fitted": fit(games["weigh"], rolled_out(given)),
    }
    for name, lines in tables.items():
        sys.stdout.write("\n".join(lines) + "\n\n")
        if given.write:
            pages.write(pages.VALUE, name, lines)


if __name__ == "__main__":
    main()
