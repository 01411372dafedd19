"""Replaying a game on a table that checks every event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from ..hands.hand import KONG, LAST_OF_KIND, LAST_TILE, SELF_DRAWN, Hand
from ..hands.melds import Meld, MeldKind
from ..hands.status import InvalidHand
from ..hands.tiles import HONORS_FROM, KINDS, tiles_of
from ..rules import GB98, Rules
from ..scoring.hand import HandScore, score_hand
from .format import NOBODY, BadRecord, Event, EventKind, Game, write_tile

#: Tiles in a player's own wall, and in the one wall of a game with flowers.
OWN_WALL, SHARED_WALL = 34, 144


class Phase(IntEnum):
    """What the table waits for."""

    #: The player whose turn it is has drawn and plays, declares a kong or wins.
    TURN = 0
    #: A player who has claimed a chow or pung discards.
    DISCARD = 1
    #: A discard lies there: the others may claim it, else the next player draws.
    CLAIM = 2
    #: A tile is added to a pung: the others may win on it, else the player draws.
    ROB = 3
    #: The player whose turn it is draws: at the beginning and after a kong.
    DRAW = 4
    OVER = 5


@dataclass(frozen=True)
class Win:
    """A winning hand of a game.

    Attributes
    ----------
    game : Game
        Where it was won; ``game.total`` and ``game.fans`` are what the log declares.
    player : int
        The winner, 0-3.
    discarder : int
        Who gave the tile, also by a robbed kong; -1 for a self-drawn win.
    hand : Hand
        The hand with its melds, circumstances and winds.
    line : int
        Where the win stands in the log.
    """

    game: Game
    player: int
    discarder: int
    hand: Hand
    line: int

    def score(self, rules: Rules = GB98) -> HandScore:
        """What the hand scores."""
        return score_hand(self.hand, rules=rules)


class Table:
    """A game in progress.

    Every event is checked: whose turn it is, whether the tiles are there, whether the wall is. The
    table keeps what everybody sees and what each player holds.

    Attributes
    ----------
    hands : list of list of int
        Concealed tiles of each player, the number of each kind.
    melds : list of list of Meld
        Melds of each player. ``source`` says who gave the tile, 1 the player before, 2 the one
        opposite, 3 the next one (a kong made from a pung 4 more), of a chow which of its tiles.
    rivers : list of list of int
        Discards of each player that were not claimed, in order.
    visible : list of int
        Copies of each kind among these and the exposed melds.
    flowers : list of int
        Flowers of each player.
    win : Win or None
        The winning hand, once there is one.
    phase, turn, tile, giver
        What the table waits for; whose turn it is (of a claim: who discarded); the tile drawn or
        offered (-1 for none), and who gave it.
    """

    def __init__(self, game: Game):
        self.game = game
        self.hands = [[0] * KINDS for _ in range(4)]
        self.melds: list[list[Meld]] = [[] for _ in range(4)]
        self.rivers: list[list[int]] = [[] for _ in range(4)]
        self.visible = [0] * KINDS
        self.flowers = [0] * 4
        self.phase = Phase.DRAW
        self.turn = 0
        self.tile = NOBODY
        self.giver = NOBODY
        self.win: Win | None = None
        self._replacement = False
        self._drawn = [0] * KINDS
        self._shared = game.has_flowers
        for player, deal in enumerate(game.deals):
            for tile in deal:
                if tile >= KINDS:
                    self.flowers[player] += 1
                else:
                    self._take(player, tile)
        dealt = sum(map(len, game.deals))
        self._walls = [SHARED_WALL - dealt] if self._shared else [OWN_WALL - 13] * 4

    def left(self, player: int) -> int:
        """Tiles left in the wall that a player draws from."""
        return self._walls[0 if self._shared else player]

    @property
    def is_last(self) -> bool:
        """Whether the wall's last tile has been drawn: the next player's wall is empty."""
        return self.left((self.turn + 1) % 4) == 0

    def circumstances(self, player: int) -> int:
        """Bits of the circumstances of a win now, self-drawn or on the tile that is offered."""
        robbed = self.phase == Phase.ROB
        bits = SELF_DRAWN if player == self.turn else 0
        if self.tile != NOBODY and self.visible[self.tile] == 3 and not robbed:
            bits |= LAST_OF_KIND
        if self.is_last and not robbed:
            bits |= LAST_TILE
        if robbed or (player == self.turn and self._replacement):
            bits |= KONG
        return bits

    def hand(self, player: int) -> Hand:
        """Hand of a player who wins now.

        Raises
        ------
        InvalidHand
            When the tiles make no hand.
        """
        counts = list(self.hands[player])
        if player != self.turn:
            counts[self.tile] += 1
        bits = self.circumstances(player)
        return Hand(
            tiles_of(counts), self.tile, self.melds[player],
            self_drawn=bool(bits & SELF_DRAWN), last_of_kind=bool(bits & LAST_OF_KIND),
            last_tile=bool(bits & LAST_TILE), kong=bool(bits & KONG), seat_wind=player,
            prevalent_wind=self.game.prevalent_wind, flowers=self.flowers[player],
        )  # fmt: skip

    def apply(self, event: Event) -> None:
        """Carry an event out.

        Raises
        ------
        BadRecord
            When it cannot be.
        """
        self._event = event
        if self.phase == Phase.OVER:
            self._fail("the game is over")
        _HANDLERS[event.kind](self, event)

    def _fail(self, reason: str) -> NoReturn:
        event = self._event
        raise BadRecord(f"'{event}': {reason}", event.line, self.game.unit)

    def _take(self, player: int, tile: int) -> None:
        self.hands[player][tile] += 1
        self._drawn[tile] += 1
        if self._drawn[tile] > 4:
            raise BadRecord(f"a fifth {write_tile(tile)} is dealt", self.game.line, self.game.unit)

    def _give(self, player: int, tile: int, times: int = 1) -> None:
        held = self.hands[player][tile]
        if held < times:
            self._fail(f"player {player} holds {held} {write_tile(tile)}, {times} are wanted")
        self.hands[player][tile] -= times

    def _must_be(self, player: int, *phases: Phase) -> None:
        if self.phase not in phases:
            self._fail(f"that cannot be done now: {_WAITS[self.phase].format(self.turn)}")
        if player != self.turn:
            self._fail(f"it is the turn of player {self.turn}")

    def _draw(self, event: Event) -> None:
        if self.phase == Phase.CLAIM:
            self.rivers[self.turn].append(self.tile)
            self.visible[self.tile] += 1
            self.turn = (self.turn + 1) % 4
            self._replacement = False
            self.phase = Phase.DRAW
        self._must_be(event.player, Phase.DRAW, Phase.ROB)
        if self.left(event.player) == 0:
            self._fail("the wall is empty")
        self._walls[0 if self._shared else event.player] -= 1
        if event.kind == EventKind.FLOWER:
            # The tile drawn in its place is an ordinary one, also after a kong.
            self.flowers[event.player] += 1
            self._replacement = False
            self.phase = Phase.DRAW
            return
        if self._drawn[event.tile] == 4:
            self._fail(f"a fifth {write_tile(event.tile)}")
        self._take(event.player, event.tile)
        self.phase, self.tile, self.giver = Phase.TURN, event.tile, event.player

    def _play(self, event: Event) -> None:
        self._must_be(event.player, Phase.TURN, Phase.DISCARD)
        self._give(event.player, event.tile)
        self.phase, self.tile, self.giver = Phase.CLAIM, event.tile, event.player

    def _claim(self, event: Event) -> None:
        player, tile = event.player, self.tile
        if self.phase != Phase.CLAIM:
            self._fail(f"no discard can be claimed: {_WAITS[self.phase].format(self.turn)}")
        if player == self.giver:
            self._fail("nobody claims an own discard")
        source = (player - self.giver) % 4
        if event.kind == EventKind.CHOW:
            meld = self._chow(event, source)
        else:
            if event.tile != tile:
                self._fail(f"the discard is {write_tile(tile)}")
            kong = event.kind == EventKind.KONG
            self._give(player, tile, 3 if kong else 2)
            meld = Meld(MeldKind.MELDED_KONG if kong else MeldKind.PUNG, tile, source)
        self._lay_down(player, meld)
        self.turn, self.tile, self.giver = player, NOBODY, NOBODY
        self._replacement = meld.is_kong
        self.phase = Phase.DRAW if meld.is_kong else Phase.DISCARD

    def _chow(self, event: Event, source: int) -> Meld:
        middle = event.tile
        if source != 1:
            self._fail(f"only player {(self.giver + 1) % 4} can make a chow of it")
        if middle >= HONORS_FROM or not 1 <= middle % 9 <= 7:
            self._fail(f"no chow has {write_tile(middle)} in its middle")
        tiles = [middle - 1, middle, middle + 1]
        if self.tile not in tiles:
            self._fail(f"the discard {write_tile(self.tile)} is not in that chow")
        for tile in tiles:
            if tile != self.tile:
                self._give(event.player, tile)
        return Meld(MeldKind.CHOW, middle - 1, tiles.index(self.tile) + 1)

    def _lay_down(self, player: int, meld: Meld) -> None:
        if len(self.melds[player]) == 4:
            self._fail("a player has four melds at most")
        self.melds[player].append(meld)
        if meld.is_exposed:
            for tile in meld.tiles:
                self.visible[tile] += 1

    def _concealed_kong(self, event: Event) -> None:
        self._must_be(event.player, Phase.TURN)
        self._give(event.player, event.tile, 4)
        self._lay_down(event.player, Meld(MeldKind.CONCEALED_KONG, event.tile))
        self.phase, self.tile, self.giver, self._replacement = Phase.DRAW, NOBODY, NOBODY, True

    def _added_kong(self, event: Event) -> None:
        self._must_be(event.player, Phase.TURN)
        melds = self.melds[event.player]
        pung = Meld(MeldKind.PUNG, event.tile)
        if pung not in melds:
            self._fail(f"player {event.player} has no pung of {write_tile(event.tile)}")
        self._give(event.player, event.tile)
        place = melds.index(pung)
        melds[place] = Meld(MeldKind.MELDED_KONG, event.tile, melds[place].source + 4)
        self.visible[event.tile] += 1
        self.phase, self.tile, self.giver = Phase.ROB, event.tile, event.player
        self._replacement = True

    def _win(self, event: Event) -> None:
        if self.phase == Phase.TURN:
            # The tile of the line is not looked at: some logs name the discard before.
            self._must_be(event.player, Phase.TURN)
        elif self.phase not in (Phase.CLAIM, Phase.ROB):
            self._fail(f"there is no tile to win on: {_WAITS[self.phase].format(self.turn)}")
        elif event.player == self.giver:
            self._fail("nobody wins on an own discard")
        elif event.tile != self.tile:
            self._fail(f"the tile to win on is {write_tile(self.tile)}")
        try:
            hand = self.hand(event.player)
        except InvalidHand as error:
            self._fail(str(error))
        discarder = NOBODY if event.player == self.turn else self.giver
        self.win = Win(self.game, event.player, discarder, hand, event.line)
        self.phase = Phase.OVER


_HANDLERS = {
    EventKind.DRAW: Table._draw,
    EventKind.FLOWER: Table._draw,
    EventKind.PLAY: Table._play,
    EventKind.CHOW: Table._claim,
    EventKind.PUNG: Table._claim,
    EventKind.KONG: Table._claim,
    EventKind.CONCEALED_KONG: Table._concealed_kong,
    EventKind.ADDED_KONG: Table._added_kong,
    EventKind.WIN: Table._win,
}
_WAITS = {
    Phase.TURN: "player {} has drawn and is to play",
    Phase.DISCARD: "player {} has claimed and is to play",
    Phase.CLAIM: "the discard of player {} may be claimed, or the next player draws",
    Phase.ROB: "the kong of player {} may be robbed, or the player draws",
    Phase.DRAW: "player {} is to draw",
    Phase.OVER: "the game is over",
}


def replay(game: Game) -> Win | None:
    """Replay a game to its end.

    Parameters
    ----------
    game : Game

    Returns
    -------
    Win or None
        The winning hand; ``None`` when nobody won.

    Raises
    ------
    BadRecord
        When an event cannot have happened, with its line.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> win = replay(play_game(seed=1))
    >>> win.player, str(win.hand), win.game.total == win.score().total
    (3, '[999p,3]1355566778p2p|EN1000', True)
    """
    win = None
    for table, _ in tables(game):
        win = table.win
    return win


def tables(game: Game) -> Iterator[tuple[Table, int]]:
    """The table after the deal and after each event, with the number of the next event.

    It is one table that changes. What the log says of the end is checked too: a game that is
    declared won has a win, a drawn one has none and an empty wall.
    """
    table = Table(game)
    yield table, 0
    for position, event in enumerate(game.events, 1):
        table.apply(event)
        yield table, position
    won = table.phase == Phase.OVER
    where = game.events[-1].line if game.events else game.line
    if won != (game.end == "win"):
        raise BadRecord("the game ends without a win" if not won else "the game was won",
                        where, game.unit)  # fmt: skip
    after_kong = table.phase in (Phase.DRAW, Phase.ROB)
    if game.end == "draw" and table.left(table.turn if after_kong else (table.turn + 1) % 4):
        raise BadRecord("the game is called a draw, but the wall has tiles left", where, game.unit)
