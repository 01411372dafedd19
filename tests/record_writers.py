"""Writers of records that users only read: games of ``fastmj.records.play`` as tziakcha and PMN."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace

from fastmj import FANS
from fastmj.records import EventKind, numberings, pmn
from fastmj.records.format import NOBODY
from fastmj.records.replays import Phase, tables
from fastmj.reference import explain

#: Ids of the copies of each tile, and the dice, of which some start the wall somewhere else.
DICE = (1 | 2 << 4 | 3 << 8 | 4 << 12, 6 | 6 << 4 | 5 << 8 | 4 << 12, 1 | 1 << 4 | 1 << 8 | 1 << 12)

#: Two players win on one discard; synthetic, of the shape of a duplicate record.
TWO_WINNERS = """\
[Event "none"]
[Site "nowhere"]
[Date "2024.01.01"]
[Board "3"]
[PWind "E"]
[East "Ada"]
[South "Ben"]
[West "Cy"]
[North "Di"]
[Deal "c1147d258b369w123rf c123d456b78w444r22f c789d2233b1155wr13f c123456789db78w33rf"]
[Scoring "Duplicate MCR"]
[Starting "0 0 0 0"]
[Result "-45 41 -8 44"]
[Penalty "0 0 0 0"]
[Play "T0b9D0z1H1H3"]
[Fan "None 39/8/1.52/6/1.62/2/1.73/1/1 None 28/1.62/1.70/1.75/1"]
"""


def ids_of_tiles():
    """For each of our tiles the ids of its copies on that site."""
    order = [*range(9), *range(18, 27), *range(9, 18), *range(27, 34)]
    ids = {tile: [4 * place + copy for copy in range(4)] for place, tile in enumerate(order)}
    return ids | {34 + flower: [136 + flower] for flower in range(8)}


class TziakchaWriter:
    """Writes a game as the site would have stored it.

    The game must be one from one wall of 144. ``moved`` is the game as it will be read: flowers
    that East shows before the first discard are among the tiles dealt.
    """

    def __init__(self, game, dice=DICE[0], names=("Ada", "Ben", "Cy", "Di"), times=700):
        assert game.wall == 144
        self.game, self.dice, self.names, self.times = game, dice, names, times
        self.free = ids_of_tiles()
        self.wall, self.left, self.actions = {}, list(range(144)), []
        self.held = [[], [], [], []]
        self.clock = 0

    def take(self, tile):
        return self.free[tile].pop(0)

    def act(self, kind, player, data):
        self.clock += self.times
        self.actions.append([kind | player << 4, data, self.clock])

    def script(self):
        game = self.game
        events = list(game.events)
        deals = [list(deal) for deal in game.deals]
        while events[0].kind == EventKind.FLOWER:
            deals[0].append(events.pop(0).tile)
        east = events.pop(0).tile
        self.deal(deals, east)
        self.act(0, 0, 0)
        self.drawn, self.offered, self.giver, flower, kong = None, NOBODY, NOBODY, None, False
        for event in events:
            player, tile = event.player, event.tile
            if event.kind == EventKind.DRAW:
                new = self.take(tile)
                if flower is not None:
                    self.from_back(new)
                    self.act(1, player, new | (flower - 136) << 8)
                elif kong:
                    self.from_back(new)
                    self.act(7, player, new | 0x100)
                else:
                    self.wall[self.left.pop(0)] = new
                    self.act(7, player, new)
                flower, kong = None, False
                self.held[player].append(new)
                self.drawn, self.giver = new, player
                self.offered = tile
            elif event.kind == EventKind.FLOWER:
                new = self.take(tile)
                if flower is not None:
                    self.from_back(new)
                    self.act(1, player, new | (flower - 136) << 8)
                elif kong:
                    self.from_back(new)
                    self.act(7, player, new | 0x100)
                else:
                    self.wall[self.left.pop(0)] = new
                    self.act(7, player, new)
                flower, kong = new, False
            else:
                kong = self.other(event)
        return self.finish()

    def deal(self, deals, east):
        """Thirteen tiles each, East's fourteenth, and what is drawn for flowers."""
        firsts, later = [], []
        for player, deal in enumerate(deals):
            ids = [self.take(tile) for tile in deal]
            if player == 0:
                # The tile drawn last is the one that East begins with.
                ids.append(self.take(east))
            size = 14 if player == 0 else 13
            flowers = [tile for tile in ids if tile >= 136]
            plain = [tile for tile in ids if tile < 136]
            # Flowers come first, so that what is drawn for them comes last.
            first = (flowers + plain)[:size]
            firsts.append(first)
            rest = (flowers + plain)[size:]
            for flower, new in zip([t for t in first if t >= 136] + [t for t in rest if t >= 136],
                                   rest, strict=False):  # fmt: skip
                later.append((player, flower, new))
        for player, first in enumerate(firsts):
            for number, tile in enumerate(first):
                if number < 12:
                    self.wall[16 * (number // 4) + 4 * player + number % 4] = tile
                else:
                    self.wall[48 + player + 4 * (number - 12)] = tile
            self.held[player] = list(first)
        del self.left[:53]
        for player, flower, new in later:
            self.from_back(new)
            self.act(1, player, new | (flower - 136) << 8 | 0x1000)
            self.held[player].remove(flower)
            self.held[player].append(new)

    def from_back(self, tile):
        """The upper tile of the last stack, else the lower one."""
        whole = len(self.left) > 1 and self.left[-2] // 2 == self.left[-1] // 2
        self.wall[self.left.pop(-2 if whole else -1)] = tile

    def give(self, player, tile, times=1):
        """Ids of so many copies that a player holds."""
        kinds = ids_of_tiles()[tile]
        found = [held for held in self.held[player] if held in kinds][:times]
        for held in found:
            self.held[player].remove(held)
        return found

    def other(self, event):
        """Write anything but a draw; whether it is a kong."""
        player, tile = event.player, event.tile
        place = ids_of_tiles()[tile][0] >> 2
        if event.kind == EventKind.PLAY:
            from_draw = self.drawn in self.held[player] and self.drawn >> 2 == place
            held = self.drawn if from_draw else self.give(player, tile)[0]
            if from_draw:
                self.held[player].remove(held)
            for other in range(4):
                if other != player and self.clock % 3 == 0:
                    self.act(8, other, 2)
            self.act(2, player, held | 0x100 * (not from_draw))
            self.drawn, self.offered, self.giver, self.given = None, tile, player, held
            return False
        offer = (player - self.giver) % 4 << 6
        if event.kind == EventKind.CHOW:
            which = self.offered - tile + 1
            for other in (tile - 1, tile, tile + 1):
                if other != self.offered:
                    self.give(player, other)
            self.act(3, player, place | (which + 1) << 6 | 1 << 10)
        elif event.kind == EventKind.PUNG:
            self.give(player, tile, 2)
            self.act(4, player, place | offer | 1 << 8)
        elif event.kind == EventKind.KONG:
            self.give(player, tile, 3)
            self.act(5, player, place | offer | 2 << 8)
        elif event.kind == EventKind.CONCEALED_KONG:
            self.give(player, tile, 4)
            self.act(5, player, place | 2 << 8)
        elif event.kind == EventKind.ADDED_KONG:
            self.given = self.give(player, tile)[0]
            self.act(5, player, place | 1 << 6 | 3 << 8)
            self.offered, self.giver = tile, player
        elif event.kind == EventKind.WIN:
            self.act(6, player, self.game.total << 1)
        return event.kind in (
            EventKind.KONG, EventKind.CONCEALED_KONG, EventKind.ADDED_KONG,
        )  # fmt: skip

    def finish(self):
        game = self.game
        rest = [tile for ids in self.free.values() for tile in ids]
        wall = [self.wall[place] if place in self.wall else rest.pop() for place in range(144)]
        dice = [self.dice >> shift & 15 for shift in (0, 4, 8, 12)]
        start = (36 * (-(dice[0] + dice[1] - 1) % 4) + 2 * sum(dice)) % 144
        wall = wall[144 - start :] + wall[: 144 - start]
        settled: list[dict] = [{}, {}, {}, {}]
        flags = 0
        if game.end == "win":
            winner = game.events[-1].player
            flags = 1 << winner | (1 << 4 + self.giver if self.giver != NOBODY else 0)
            fans = {
                str(numberings.TZIAKCHA.index(name) + 1): FANS[name].points | (times - 1) << 8
                for name, times in game.fans.items()
            }
            settled[winner] = {"f": game.total, "t": fans}
            if all(event.kind != EventKind.PLAY for event in game.events):
                settled[winner]["h"] = {"s": [*self.held[winner]]}
        return {
            "g": {"l": 8, "b": 8, "z": 1, "bl": 0}, "p": [{"n": name} for name in self.names],
            "i": 4 * game.prevalent_wind, "w": bytes(wall).hex(), "d": self.dice,
            "a": self.actions, "b": flags, "s": list(game.scores), "y": settled,
        }  # fmt: skip


def encode(step):
    """A script as it is stored."""
    return base64.b64encode(zlib.compress(json.dumps(step).encode())).decode()


def as_read(game):
    """The game as a reader of tziakcha finds it: East's first flowers are dealt."""
    from dataclasses import replace

    events, deals = list(game.events), [list(deal) for deal in game.deals]
    while events and events[0].kind == EventKind.FLOWER:
        deals[0].append(events.pop(0).tile)
    return replace(game, events=tuple(events), deals=tuple(map(tuple, deals)))


_CODES = {tile: code for code, tile in pmn.TILES.items()}
_LETTERS = {
    EventKind.DRAW: "T", EventKind.PLAY: "D", EventKind.CHOW: "C", EventKind.PUNG: "P",
    EventKind.KONG: "Z", EventKind.CONCEALED_KONG: "A", EventKind.ADDED_KONG: "B",
    EventKind.FLOWER: "R",
}  # fmt: skip


def write_pmn(game, points=True, names=("Ada", "Ben", "Cy", "Di"), letter="H"):
    """A game as the lines of PMN."""
    tokens, last = [], None
    for event in game.events:
        code = _CODES[event.tile]
        if event.kind == EventKind.WIN:
            tokens.append(f"{letter}{event.player}")
        else:
            if event.kind == EventKind.PLAY and last == (EventKind.DRAW, event.tile):
                code = "z1"
            if event.kind == EventKind.FLOWER:
                tokens.append(f"T{event.player}{code}")
            tokens.append(f"{_LETTERS[event.kind]}{event.player}{code}")
        last = (event.kind, event.tile)
    hands = []
    for deal in game.deals:
        suits = [sorted(_CODES[tile][1] for tile in deal if _CODES[tile][0] == s) for s in "cdbwrf"]
        hands.append(
            "".join(s + "".join(digits) for s, digits in zip("cdbwrf", suits, strict=True))
        )
    fans = ["None"] * 4
    if game.end == "win":
        terms = [
            (numberings.PMN.index(name) + 1, FANS[name].points, n) for name, n in game.fans.items()
        ]
        fans[game.events[-1].player] = ".".join(
            f"{number}/{value}/{times}" if points else f"{number}/{times}"
            for number, value, times in terms
        )
    tags = {
        "Event": "played by nobody", "Site": game.name, "Date": "2024.01.01", "Board": "1",
        "PWind": "ESWN"[game.prevalent_wind],
        **dict(zip(("East", "South", "West", "North"), names, strict=True)),
        "Deal": " ".join(hands), "Scoring": "MCR" if game.wall else "Duplicate MCR",
        "Starting": "0 0 0 0", "Result": " ".join(map(str, game.scores)), "Penalty": "0 0 0 0",
        "Play": "".join(tokens), "Fan": " ".join(fans),
    }  # fmt: skip
    return "".join(f'[{tag} "{value}"]\n' for tag, value in tags.items())


def with_shown(game, own=True):
    """A game with what a judge shows, by the reference; ``own``: to the discarder too."""
    shown = []
    for table, position in tables(game):
        if table.phase in (Phase.TURN, Phase.CLAIM, Phase.ROB):
            values = [-4] * 4
            turn = table.phase == Phase.TURN
            for seat in range(4):
                asked = seat == table.turn if turn else own or seat != table.turn
                if not asked or (table.phase == Phase.ROB and seat == table.turn):
                    continue
                result = explain(table.hand(seat))
                values[seat] = result.total if result.chosen else -3
            shown.append((position, tuple(values)))
    return replace(game, can_hu=flat(shown))


def flat(shown):
    """Displays as a game keeps them."""
    return tuple(number for position, values in shown for number in (position, *values))
