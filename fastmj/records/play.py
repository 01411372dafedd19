"""Games that simple players play against each other, the same for the same seed.

They serve for tests and trials of what reads game records. The players know nothing of strategy:
they discard what leaves the hand nearest to ready, claim what brings it nearer, and win when they
can. The state of the game is kept here apart from ``replays``, so that each checks the
other.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from ..distance import discards_batch, shanten_batch
from ..hands.hand import Hand
from ..hands.melds import Meld, MeldKind
from ..hands.status import InvalidHand
from ..hands.tiles import HONORS_FROM, KINDS, counts_of
from ..quoting import quoted
from ..rules import GB98, NationalRulesLike, Rules, national_rules
from ..scoring.hand import score_hand
from ..scoring.settlement import settle
from .format import SHARED_WALL, Event, EventKind, Game

_Claim = tuple[int, int, EventKind, int]  # rank and distance (lowest first), kind, tile


def play_game(
    seed: int,
    *,
    rules: NationalRulesLike = GB98,
    bias: float = 0.8,
    flowers: bool = False,
    name: str | None = None,
) -> Game:
    """Play a game.

    Parameters
    ----------
    seed : int
        Everything depends on it and on the other arguments alone.
    rules : Rules
        Rule profile. With a low ``min_fan`` more games are won.
    bias : float
        0-1, how often a tile goes to the player who collects its suit: the higher, the shorter
        the games and the rarer a draw. 0 shuffles fairly.
    flowers : bool
        Whether to play with flowers, from one wall; else each player has an own wall of 34.
    name : str, optional
        Id of the game.

    Returns
    -------
    Game

    Examples
    --------
    >>> game = play_game(seed=1)
    >>> game.end, len(game.deals[0]), game == play_game(seed=1)
    ('win', 13, True)
    """
    return play_with_hand(seed, rules, bias, flowers, name)[0]


def play_with_hand(
    seed: int,
    rules: NationalRulesLike = GB98,
    bias: float = 0.8,
    flowers: bool = False,
    name: str | None = None,
) -> tuple[Game, Hand | None]:
    """``play_game`` with the winning hand as the winner sees it."""
    if not 0 <= bias <= 1:
        raise ValueError(f"bias must be from 0 to 1, got {quoted(bias)}")
    play = _Play(seed, national_rules(rules), bias, flowers)
    while not play.over:
        play.turn_of_next()
    return play.game(name or f"seed-{seed}"), play.hand


class _Play:
    """A game that is being played."""

    def __init__(self, seed: int, rules: Rules, bias: float, flowers: bool):
        self.rules, self.over, self.player = rules, False, 0
        self.hand: Hand | None = None
        self.scores = (0, 0, 0, 0)
        self.random = random.Random(f"{seed} {bias} {flowers}")
        self.wind = self.random.randrange(4)
        self.events: list[Event] = []
        self.melds: list[list[Meld]] = [[], [], [], []]
        self.pool: list[int] = []  # discards that nobody claimed
        self.flowers = [0] * 4
        self.wall = SHARED_WALL if flowers else 0
        self.walls = self._shared_wall() if flowers else self._own_walls(bias)
        self.tiles: list[list[int]] = [[], [], [], []]
        self.deals: list[tuple[int, ...]] = []
        for player in range(4):
            deal: list[int] = []
            while len(self.tiles[player]) < 13:
                deal.append(self.walls[player].pop())
                if deal[-1] < KINDS:
                    self.tiles[player].append(deal[-1])
                else:
                    self.flowers[player] += 1
            self.deals.append(tuple(deal))

    def _shared_wall(self) -> list[list[int]]:
        wall = [tile for tile in range(KINDS) for _ in range(4)] + list(range(KINDS, KINDS + 8))
        self.random.shuffle(wall)
        return [wall] * 4

    def _own_walls(self, bias: float) -> list[list[int]]:
        tiles = [tile for tile in range(KINDS) for _ in range(4)]
        collectors = list(range(4))
        self.random.shuffle(tiles)
        self.random.shuffle(collectors)
        walls: list[list[int]] = [[], [], [], []]
        for tile in tiles:
            wall = walls[collectors[min(tile // 9, 3)]]
            if len(wall) == 34 or self.random.random() >= bias:
                wall = self.random.choice([one for one in walls if len(one) < 34])
            wall.append(tile)
        for wall in walls:
            self.random.shuffle(wall)
        return walls

    def game(self, name: str) -> Game:
        score = None if self.hand is None else score_hand(self.hand, rules=self.rules)
        return Game(
            name, self.wind, tuple(self.deals), tuple(self.events),
            score.total if score else None, score.fans if score else {}, self.scores,
            "win" if score else "draw", wall=self.wall,
        )  # fmt: skip

    def turn_of_next(self) -> None:
        """A player draws, plays, and the others answer."""
        tile = self._draw(replacement=False)
        while tile is not None:
            kong = self._kong()
            if kong is None:
                break
            tile = self._draw(replacement=True) if self._declare(kong) else None
        if tile is None:
            return
        self._discard()

    def _draw(self, replacement: bool) -> int | None:
        """Draw a tile; ``None`` when the game is over."""
        player = self.player
        while True:
            if not self.walls[player]:
                self.over = True
                return None
            tile = self.walls[player].pop()
            if tile < KINDS:
                break
            self.flowers[player] += 1
            replacement = False
            self._note(EventKind.FLOWER, player, tile)
        self._note(EventKind.DRAW, player, tile)
        self.tiles[player].append(tile)
        hand = self._hand(player, tile, self_drawn=True, kong=replacement)
        if hand is not None:
            self._win(player, hand, None, Event(EventKind.WIN, player, tile))
            return None
        return tile

    def _hand(self, player: int, tile: int, self_drawn: bool, kong: bool) -> Hand | None:
        """Hand of a player who can win now."""
        robbed = kong and not self_drawn
        open_tiles = Counter(self.pool)
        for melds in self.melds:
            open_tiles.update(t for meld in melds if meld.is_exposed for t in meld.tiles)
        try:
            hand = Hand(
                self.tiles[player] + ([] if self_drawn else [tile]), tile, self.melds[player],
                self_drawn=self_drawn, kong=kong, last_tile=not robbed and self._last(),
                last_of_kind=open_tiles[tile] == 3 and not robbed, seat_wind=player,
                prevalent_wind=self.wind, flowers=self.flowers[player],
            )  # fmt: skip
        except InvalidHand:
            return None
        return hand if score_hand(hand, rules=self.rules).wins else None

    def _last(self) -> bool:
        return not self.walls[(self.player + 1) % 4]

    def _win(self, player: int, hand: Hand, discarder: int | None, event: Event) -> None:
        total = score_hand(hand, rules=self.rules).total
        self.scores = tuple(settle(total, player, discarder).tolist())
        self.hand, self.over = hand, True
        self.events.append(event)

    def _note(
        self, kind: EventKind, player: int, tile: int, ignored: tuple[Event, ...] = ()
    ) -> None:
        self.events.append(Event(kind, player, tile, ignored))

    def _kong(self) -> tuple[EventKind, int] | None:
        """A kong that the player declares."""
        player = self.player
        if self._last() or not self.walls[player] or self.random.random() < 0.2:
            return None
        held = Counter(self.tiles[player])
        for tile in sorted(held):
            if held[tile] == 4 and len(self.melds[player]) < 4:
                return EventKind.CONCEALED_KONG, tile
            if Meld(MeldKind.PUNG, tile) in self.melds[player]:
                return EventKind.ADDED_KONG, tile
        return None

    def _declare(self, kong: tuple[EventKind, int]) -> bool:
        """Lay a kong down; whether nobody robs it."""
        (kind, tile), player = kong, self.player
        self._note(kind, player, tile)
        if kind == EventKind.CONCEALED_KONG:
            self._remove(player, [tile] * 4)
            self.melds[player].append(Meld(MeldKind.CONCEALED_KONG, tile))
            return True
        self._remove(player, [tile])
        place = self.melds[player].index(Meld(MeldKind.PUNG, tile))
        pung = self.melds[player][place]
        self.melds[player][place] = Meld(MeldKind.MELDED_KONG, tile, pung.source + 4)
        for step in (1, 2, 3):
            other = (player + step) % 4
            hand = self._hand(other, tile, self_drawn=False, kong=True)
            if hand is not None:
                self._win(other, hand, player, Event(EventKind.WIN, other, tile))
                return False
        return True

    def _remove(self, player: int, tiles: list[int]) -> None:
        for tile in tiles:
            self.tiles[player].remove(tile)

    def _discard(self) -> None:
        """Discard, and let the others answer, until nobody claims."""
        while not self.over:
            giver, tile = self.player, self._choice()
            self._remove(giver, [tile])
            self._note(EventKind.PLAY, giver, tile)
            claims = sorted(
                claim for step in (1, 2, 3) for claim in self._claims((giver + step) % 4, tile)
            )
            if not claims:
                self.pool.append(tile)
                self.player = (giver + 1) % 4
                self.over = not self.walls[self.player]
                return
            first, *rest = [
                Event(kind, (giver + step) % 4, named) for _, step, kind, named in claims
            ]
            event = Event(first.kind, first.player, first.tile, tuple(rest))
            if first.kind == EventKind.WIN:
                hand = self._hand(first.player, tile, self_drawn=False, kong=False)
                assert hand is not None
                self._win(first.player, hand, giver, event)
                return
            self.events.append(event)
            self._meld(event, tile, giver)
            if first.kind == EventKind.KONG:
                drawn = self._draw(replacement=True)
                kong = self._kong() if drawn is not None else None
                while kong is not None:
                    drawn = self._draw(replacement=True) if self._declare(kong) else None
                    kong = self._kong() if drawn is not None else None

    def _choice(self) -> int:
        """The discard that leaves the hand nearest to ready."""
        player = self.player
        counts = [counts_of(self.tiles[player])]
        found = discards_batch(counts, melds=len(self.melds[player]), threads=1)
        ranked = [
            (int(found.shanten[0, tile]), -int(found.copies[0, tile]), self.random.random(), tile)
            for tile in set(self.tiles[player])
        ]
        return min(ranked)[-1]

    def _claims(self, player: int, tile: int) -> Iterator[_Claim]:
        """What a player says to a discard: the highest claim that the player wants."""
        step = (player - self.player) % 4
        if self._hand(player, tile, self_drawn=False, kong=False) is not None:
            yield 0, step, EventKind.WIN, tile
            return
        held = self.tiles[player].count(tile)
        if self._last() or len(self.melds[player]) == 4:
            return
        if held == 3 and self.walls[player] and self.random.random() < 0.7:
            yield 1, step, EventKind.KONG, tile
        elif held >= 2 and self._nearer(player, [tile, tile]):
            yield 1, step, EventKind.PUNG, tile
        elif step == 1 and tile < HONORS_FROM:
            for middle in (tile, tile - 1, tile + 1):
                others = [t for t in (middle - 1, middle, middle + 1) if t != tile]
                if (
                    1 <= middle % 9 <= 7
                    and middle // 9 == tile // 9
                    and all(other in self.tiles[player] for other in others)
                    and self._nearer(player, others)
                ):
                    yield 2, step, EventKind.CHOW, middle
                    return

    def _nearer(self, player: int, taken: list[int]) -> bool:
        """Whether melding some of the tiles brings the hand nearer."""
        before = self.tiles[player]
        after = list(before)
        for tile in taken:
            after.remove(tile)
        melds = len(self.melds[player])
        counts = [counts_of(before), counts_of(after)]
        found = shanten_batch(counts, melds=[melds, melds + 1], threads=1).best
        return bool(found[1] < found[0])

    def _meld(self, event: Event, tile: int, giver: int) -> None:
        """Take the discard into a meld."""
        player = self.player = event.player
        if event.kind == EventKind.CHOW:
            low = event.tile - 1
            self._remove(player, [t for t in range(low, low + 3) if t != tile])
            meld = Meld(MeldKind.CHOW, low, tile - low + 1)
        else:
            kong = event.kind == EventKind.KONG
            self._remove(player, [tile] * (3 if kong else 2))
            kind = MeldKind.MELDED_KONG if kong else MeldKind.PUNG
            meld = Meld(kind, tile, {1: 3, 2: 2, 3: 1}[(giver - player) % 4])
        self.melds[player].append(meld)
