"""Replaying a game on a table that checks every event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NoReturn

from ..hands.hand import KONG, LAST_OF_KIND, LAST_TILE, SELF_DRAWN, Hand
from ..hands.melds import Meld, MeldKind
from ..hands.status import InvalidHand
from ..hands.tiles import HONORS_FROM, KINDS, tiles_of
from ..rules import GB98, NationalRulesLike, national_rules
from ..scoring.hand import HandScore, score_hand
from .format import (
    NOBODY,
    OWN_WALL,
    BadRecord,
    Declared,
    Event,
    EventKind,
    Game,
    write_tile,
)


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


#: Looked up once: a look-up in the class takes a third of the time that an event takes.
_TURN, _DISCARD, _CLAIM, _ROB, _DRAW, _OVER = Phase
_CHOW, _KONG = EventKind.CHOW, EventKind.KONG


@lru_cache(maxsize=1024)
def _meld(kind: MeldKind, tile: int, source: int = 0) -> Meld:
    """A meld; those that are equal are one object."""
    return Meld(kind, tile, source)


@dataclass(frozen=True)
class Win:
    """A winning hand of a game.

    Attributes
    ----------
    game : Game
        Where it was won.
    player : int
        The winner, 0-3.
    discarder : int
        Who gave the tile, also by a robbed kong; -1 for a self-drawn win.
    hand : Hand
        The hand with its melds, circumstances and winds.
    line : int
        Where the win stands in the log.
    declared : Declared
        What the log declares.
    """

    game: Game
    player: int
    discarder: int
    hand: Hand
    line: int
    declared: Declared

    def score(self, rules: NationalRulesLike = GB98) -> HandScore:
        """What the hand scores."""
        return score_hand(self.hand, rules=national_rules(rules))


class Table:
    """A game in progress.

    Every event is checked: whose turn it is, whether the tiles are there, whether the wall is. The
    table keeps what everybody sees and what each player holds.

    Attributes
    ----------
    hands : list of bytearray
        Concealed tiles of each player, the number of each kind.
    melds : list of list of Meld
        Melds of each player. ``source`` says who gave the tile, 1 the player before, 2 the one
        opposite, 3 the next one (a kong made from a pung 4 more), of a chow which of its tiles.
    codes : bytearray
        Their codes, four a player, 0 where there is none.
    rivers : list of bytearray
        Discards of each player that were not claimed, in order.
    visible : bytearray
        Copies of each kind among these and the exposed melds.
    flowers : bytearray
        Flowers of each player.
    wins : list of Win
        The winning hands, once there are some: one, or several where a site's rules allow it.
    phase, turn, tile, giver
        What the table waits for; whose turn it is (of a claim: who discarded); the tile drawn or
        offered (-1 for none), and who gave it.
    position : int
        Number of events carried out.
    """

    def __init__(self, game: Game):
        if not isinstance(game, Game):
            raise TypeError(
                f"a Game is wanted, as read_games gives them, got {type(game).__name__}"
            )
        self.game = game
        self.hands = [bytearray(KINDS) for _ in range(4)]
        self.melds: list[list[Meld]] = [[], [], [], []]
        self.codes = bytearray(16)
        self.rivers = [bytearray() for _ in range(4)]
        self.visible = bytearray(KINDS)
        self.flowers = bytearray(4)
        self.phase = Phase.DRAW
        self.turn = 0
        self.tile = NOBODY
        self.giver = NOBODY
        self.wins: list[Win] = []
        self.position = 0
        self._replacement = False
        self._won_in: Phase | None = None  # the phase in which somebody won
        self._drawn = bytearray(KINDS)
        for player, deal in enumerate(game.deals):
            hand = self.hands[player]
            for tile in deal:
                if tile >= KINDS:
                    self.flowers[player] += 1
                    continue
                hand[tile] += 1
                self._drawn[tile] += 1
        if max(self._drawn) > 4:
            fifth = write_tile(next(t for t, copies in enumerate(self._drawn) if copies > 4))
            raise BadRecord(f"a fifth {fifth} is dealt", game.line, game.unit)
        self._shared = game.wall > 0
        dealt = sum(map(len, game.deals))
        self._walls = [game.wall - dealt] if self._shared else [OWN_WALL - 13] * 4

    @property
    def win(self) -> Win | None:
        """The first winning hand."""
        return self.wins[0] if self.wins else None

    def left(self, player: int) -> int:
        """Tiles left in the wall that a player draws from."""
        return self._walls[0 if self._shared else player]

    @property
    def is_last(self) -> bool:
        """Whether the wall's last tile has been drawn: the next player's wall is empty."""
        return self.left((self.turn + 1) % 4) == 0

    def circumstances(self, player: int) -> int:
        """Bits of the circumstances of a win now, self-drawn or on the tile that is offered."""
        robbed = self.phase == _ROB
        drawn = self.phase == _TURN and player == self.turn
        bits = SELF_DRAWN if drawn else 0
        if robbed or (drawn and self._replacement):
            bits |= KONG
        if not robbed:
            if self.tile != NOBODY and self.visible[self.tile] == 3:
                bits |= LAST_OF_KIND
            if self._walls[0 if self._shared else (self.turn + 1) % 4] == 0:
                bits |= LAST_TILE
        return bits

    def hand(self, player: int) -> Hand:
        """Hand of a player who wins now.

        Raises
        ------
        InvalidHand
            When the tiles make no hand.
        """
        counts = list(self.hands[player])
        bits = self.circumstances(player)
        if not bits & SELF_DRAWN:
            counts[self.tile] += 1
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
        _HANDLERS[event.kind](self, event)
        self.position += 1

    def _fail(self, event: Event, reason: str) -> NoReturn:
        raise BadRecord(f"'{event}': {reason}", self.game.line_of(self.position), self.game.unit)

    def _fail_to_give(self, event: Event, player: int, tile: int, times: int) -> NoReturn:
        held = self.hands[player][tile]
        self._fail(event, f"player {player} holds {held} {write_tile(tile)}, {times} are wanted")

    def _not_now(self, event: Event) -> NoReturn:
        """Say why something cannot be done now by the player."""
        if event.kind in _DONE_IN and self.phase in _DONE_IN[event.kind]:
            self._fail(event, f"it is the turn of player {self.turn}")
        waits = _WAITS[self.phase].format(self.turn)
        self._fail(event, waits if self.phase == _OVER else f"that cannot be done now: {waits}")

    def _draw(self, event: Event) -> None:
        player, tile = event.player, event.tile
        if self.phase == _CLAIM:
            self.rivers[self.turn].append(self.tile)
            self.visible[self.tile] += 1
            self.turn = (self.turn + 1) % 4
            self._replacement = False
            self.phase = _DRAW
        elif self.phase != _DRAW and self.phase != _ROB:
            self._not_now(event)
        if player != self.turn:
            self._fail(event, f"it is the turn of player {self.turn}")
        wall = 0 if self._shared else player
        if self._walls[wall] == 0:
            self._fail(event, "the wall is empty")
        self._walls[wall] -= 1
        if tile >= KINDS:
            # The tile drawn in its place is an ordinary one, also after a kong.
            self.flowers[player] += 1
            self._replacement = False
            self.phase = _DRAW
            return
        if self._drawn[tile] == 4:
            self._fail(event, f"a fifth {write_tile(tile)}")
        self._drawn[tile] += 1
        self.hands[player][tile] += 1
        self.phase, self.tile, self.giver = _TURN, tile, player

    def _play(self, event: Event) -> None:
        player, tile = event.player, event.tile
        if (self.phase != _TURN and self.phase != _DISCARD) or player != self.turn:
            self._not_now(event)
        hand = self.hands[player]
        if not hand[tile]:
            self._fail_to_give(event, player, tile, 1)
        hand[tile] -= 1
        self.phase, self.tile, self.giver = _CLAIM, tile, player

    def _claim(self, event: Event) -> None:
        player, tile = event.player, self.tile
        if self.phase != _CLAIM:
            if self.phase == _OVER:
                self._not_now(event)
            waits = _WAITS[self.phase].format(self.turn)
            self._fail(event, f"no discard can be claimed: {waits}")
        if player == self.giver:
            self._fail(event, "nobody claims an own discard")
        source = (player - self.giver) % 4
        if event.kind == _CHOW:
            meld = self._chow(event, source)
        else:
            if event.tile != tile:
                self._fail(event, f"the discard is {write_tile(tile)}")
            kong = event.kind == _KONG
            self._give(event, tile, 3 if kong else 2)
            meld = _meld(MeldKind.MELDED_KONG if kong else MeldKind.PUNG, tile, source)
            self.visible[tile] += 4 if kong else 3
        self._lay_down(event, meld)
        self.turn, self.tile, self.giver = player, NOBODY, NOBODY
        self._replacement = event.kind == _KONG
        self.phase = _DRAW if self._replacement else _DISCARD

    def _give(self, event: Event, tile: int, times: int) -> None:
        hand = self.hands[event.player]
        if hand[tile] < times:
            self._fail_to_give(event, event.player, tile, times)
        hand[tile] -= times

    def _chow(self, event: Event, source: int) -> Meld:
        middle = event.tile
        if source != 1:
            self._fail(event, f"only player {(self.giver + 1) % 4} can make a chow of it")
        if middle >= HONORS_FROM or not 1 <= middle % 9 <= 7:
            self._fail(event, f"no chow has {write_tile(middle)} in its middle")
        if not -1 <= self.tile - middle <= 1:
            self._fail(event, f"the discard {write_tile(self.tile)} is not in that chow")
        for tile in (middle - 1, middle, middle + 1):
            if tile != self.tile:
                self._give(event, tile, 1)
            self.visible[tile] += 1
        return _meld(MeldKind.CHOW, middle - 1, self.tile - middle + 2)

    def _lay_down(self, event: Event, meld: Meld) -> None:
        melds = self.melds[event.player]
        if len(melds) == 4:
            self._fail(event, "a player has four melds at most")
        self.codes[4 * event.player + len(melds)] = meld.code
        melds.append(meld)

    def _concealed_kong(self, event: Event) -> None:
        if self.phase != _TURN or event.player != self.turn:
            self._not_now(event)
        self._give(event, event.tile, 4)
        self._lay_down(event, _meld(MeldKind.CONCEALED_KONG, event.tile))
        self.phase, self.tile, self.giver, self._replacement = _DRAW, NOBODY, NOBODY, True

    def _added_kong(self, event: Event) -> None:
        if self.phase != _TURN or event.player != self.turn:
            self._not_now(event)
        melds = self.melds[event.player]
        pung = _meld(MeldKind.PUNG, event.tile)
        if pung not in melds:
            self._fail(event, f"player {event.player} has no pung of {write_tile(event.tile)}")
        self._give(event, event.tile, 1)
        place = melds.index(pung)
        melds[place] = _meld(MeldKind.MELDED_KONG, event.tile, melds[place].source + 4)
        self.codes[4 * event.player + place] = melds[place].code
        self.visible[event.tile] += 1
        self.phase, self.tile, self.giver = _ROB, event.tile, event.player
        self._replacement = True

    def _win(self, event: Event) -> None:
        player, phase = event.player, self.phase
        if phase == _OVER and self.wins[-1].discarder != NOBODY and self._won_in is not None:
            phase = self.phase = self._won_in  # another who wins on the same tile
            if any(win.player == player for win in self.wins):
                self._fail(event, f"player {player} has won already")
        if phase == _TURN:
            # The tile of the line is not looked at: some logs name the discard before.
            if player != self.turn:
                self._not_now(event)
        elif phase == _OVER:
            self._not_now(event)
        elif phase not in (_CLAIM, _ROB):
            self._fail(event, f"there is no tile to win on: {_WAITS[phase].format(self.turn)}")
        elif player == self.giver:
            self._fail(event, "nobody wins on an own discard")
        elif event.tile != self.tile:
            self._fail(event, f"the tile to win on is {write_tile(self.tile)}")
        try:
            hand = self.hand(player)
        except InvalidHand as error:
            self._fail(event, str(error))
        declared = self.game.declared
        number = len(self.wins)
        self.wins.append(Win(
            self.game, player, NOBODY if phase == _TURN else self.giver, hand,
            self.game.line_of(self.position),
            declared[number] if number < len(declared) else Declared(None, {}),
        ))  # fmt: skip
        self._won_in, self.phase = phase, _OVER

    def _false_win(self, event: Event) -> None:
        if self.phase in (_OVER, _DRAW):
            self._not_now(event)


_BY_KIND = {
    EventKind.DRAW: Table._draw,
    EventKind.FLOWER: Table._draw,
    EventKind.PLAY: Table._play,
    EventKind.CHOW: Table._claim,
    EventKind.PUNG: Table._claim,
    EventKind.KONG: Table._claim,
    EventKind.CONCEALED_KONG: Table._concealed_kong,
    EventKind.ADDED_KONG: Table._added_kong,
    EventKind.WIN: Table._win,
    EventKind.FALSE_WIN: Table._false_win,
}
#: By number: the hash of an enumeration is slow.
_HANDLERS = [_BY_KIND[kind] for kind in EventKind]
#: What is the business of the player whose turn it is, and when.
_DONE_IN = {
    EventKind.PLAY: (Phase.TURN, Phase.DISCARD),
    EventKind.CONCEALED_KONG: (Phase.TURN,),
    EventKind.ADDED_KONG: (Phase.TURN,),
    EventKind.WIN: (Phase.TURN,),
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
    return play_out(game).win


def play_out(game: Game) -> Table:
    """Table at the end of a game, every event and the end checked; ``wins`` are its wins.

    Raises
    ------
    BadRecord
        When an event cannot have happened, with its line.
    """
    table = Table(game)
    for position, event in enumerate(game.events, 1):
        _HANDLERS[event.kind](table, event)
        table.position = position
    check_end(table)
    return table


def tables(game: Game) -> Iterator[tuple[Table, int]]:
    """The table after the deal and after each event, with the number of the next event.

    It is one table that changes. What the log says of the end is checked too: a game that is
    declared won has a win, a drawn one has none and an empty wall.
    """
    table = Table(game)
    yield table, 0
    for position, event in enumerate(game.events, 1):
        _HANDLERS[event.kind](table, event)
        table.position = position
        yield table, position
    check_end(table)


def check_end(table: Table) -> None:
    """Check what the log says of the end, after the last event."""
    game, won = table.game, table.phase == Phase.OVER
    where = game.line_of(len(game.events) - 1)
    if won != (game.end == "win"):
        raise BadRecord("the game ends without a win" if not won else "the game was won",
                        where, game.unit)  # fmt: skip
    if won and len(table.wins) < len(game.declared):
        raise BadRecord(f"{len(game.declared)} wins are declared, {len(table.wins)} were made",
                        where, game.unit)  # fmt: skip
    after_kong = table.phase in (Phase.DRAW, Phase.ROB)
    if game.end == "draw" and table.left(table.turn if after_kong else (table.turn + 1) % 4):
        raise BadRecord("the game is called a draw, but the wall has tiles left", where, game.unit)
