"""What ``weigh`` does with a hand, asked move by move: for programs that play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distance.reading import AnyHand, AnyMelds, HandRow, read_row
from ..hands.melds import Meld
from ..hands.tiles import NAMES, Honors
from ..rules import GB98, Rules
from .candidates import answers_to, read_offer
from .lists import Root, as_pungs, key_of_codes, root_of
from .model import CLAIMS, ROUNDS, resolve_model
from .play import Games, Table, make_player
from .targets import resolve_minimum, shown_tiles

_KINDS = 34
#: Own turns beyond which goals are no longer dropped: whoever asks may ask about any hand.
_LATE = 64
#: Rounds for which a list of goals serves; then it is made anew from the hand as it has become.
_RENEWED = 5


@dataclass(frozen=True)
class Advice:
    """What to do with a hand.

    Attributes
    ----------
    action : {"discard", "kong", "pass", "claim"}
        A tile is discarded or a kong declared; an offered tile is let pass, or claimed.
    tile : str
        The tile to discard, also after a claim; "" when none is.
    meld : Meld or None
        The kong, or what the offered tile is claimed for.
    """

    action: str
    tile: str
    meld: Meld | None


class Advisor:
    """One player's advisor through a game.

    It lists the complete hands that score enough when it is first asked, as ``simulate`` does, and
    anew when five rounds have gone or another hand is shown that cannot have come from the last
    one. Other answers take a fraction of a millisecond: no games are played out. Whether a hand
    wins is not its business, see ``score_hand``.

    Parameters
    ----------
    rules : Rules
        Rule profile.
    min_fan : int, optional
        What a win must score, flowers aside; by default the profile's minimum.
    claims : float
        As for ``simulate``: how often others' tiles are discarded.
    honors : {"chinese", "riichi"}
        As for ``parse_hand``.

    Examples
    --------
    >>> advisor = Advisor()
    >>> advisor.discard("2346m4588p6sWWCC3s|EE").tile
    '6m'
    >>> advice = advisor.answer("2346m4588p6sWWCC|EE", "C", "across", visible="E", turn=1)
    >>> advice.action, str(advice.meld), advice.tile
    ('claim', '[CCC]', '6m')
    """

    def __init__(
        self, *, rules: Rules = GB98, min_fan: int | None = None, claims: float = CLAIMS,
        honors: Honors = "chinese",
    ):  # fmt: skip
        self.rules, self.honors = rules, honors
        self.minimum = resolve_minimum(min_fan, rules)
        self.model = resolve_model(claims, 1.0, True, 0)
        self.player = make_player()
        self.games: Games | None = None
        self.turn = 0  # when the lists were made

    def discard(
        self, hand: AnyHand, *, melds: AnyMelds = None, visible: Any = "", turn: int = 0,
        kongs: bool = True,
    ) -> Advice:  # fmt: skip
        """What to do with a hand that has drawn or claimed a tile and did not win.

        Parameters
        ----------
        hand, melds
            As for ``simulate``: 14 tiles less 3 a meld.
        visible : str or array_like of int
            Tiles seen in discards and others' melds.
        turn : int
            Own turns that have been played.
        kongs : bool
            Whether a kong may be declared: not after a claim, nor with an empty wall.

        Returns
        -------
        Advice

        Raises
        ------
        InvalidHand, ValueError
            As ``simulate`` does.
        """
        from ..kernels.value.decide import choose_own

        row = read_row(hand, visible, self.honors, (1,), melds)
        games, draws = self._sit_down(row, turn)
        drawn = np.int64(row.held[0])
        out = self._ask(games, lambda guide: choose_own(guide, self.player, drawn, draws, kongs))
        if out < _KINDS:
            return Advice("discard", NAMES[out], None)
        return Advice("kong", "", Meld.from_code(int(out) - _KINDS))

    def answer(
        self, hand: AnyHand, offered: str, source: str, *, melds: AnyMelds = None,
        visible: Any = "", turn: int = 0,
    ) -> Advice:  # fmt: skip
        """Whether to claim a tile that another player discards, when the hand does not win with it.

        Parameters
        ----------
        hand, melds
            As for ``simulate``: 13 tiles less 3 a meld.
        offered : str
            The tile.
        source : {"left", "across", "right"}
            Who discards it. A chow is claimed from the left only.
        visible, turn
            As for ``discard``; the offered tile is not among the visible ones.

        Returns
        -------
        Advice

        Raises
        ------
        InvalidHand, ValueError
            As ``simulate`` does.
        """
        from ..kernels.value.decide import choose_claim

        row = read_row(hand, visible, self.honors, (0,), melds)
        tile, turns = read_offer(offered, source, self.honors)
        if len(answers_to(root_of(row), tile, turns)) == 1:
            return Advice("pass", "", None)
        games, draws = self._sit_down(row, turn)
        self.player.left[tile] -= 1
        self.player.rows.seen[0, tile] += 1
        discards = [np.int64(-1)]

        def ask(guide: Any) -> Any:
            code, discards[0] = choose_claim(guide, self.player, np.int64(tile), turns == 3, draws)
            return code

        code = self._ask(games, ask)
        if code <= 0:
            return Advice("pass", "", None)
        out = int(discards[0])
        return Advice("claim", NAMES[out] if out >= 0 else "", Meld.from_code(int(code)))

    def _ask(self, games: Games, ask: Any) -> Any:
        """The answer of a kernel, which may want lists of goals first."""
        from ..kernels.value.decide import MISSING

        answer = ask(games.guide())
        while answer == -1:
            games.lists.add(int(self.player.state[MISSING]))
            answer = ask(games.guide())
        return answer

    def _sit_down(self, row: HandRow, turn: int) -> tuple[Games, Any]:
        """Put the hand before the kernels: what it goes by, and own draws left."""
        from ..kernels.value.decide import TURNS, take_hand

        player, root = self.player, root_of(row)
        games = self._games(row, root, turn)
        games.lists.add(key_of_codes(root.codes))
        take_hand(games.guide(), player, root.counts, root.seen, root.codes)
        player.state[TURNS] = _LATE
        draws = min(ROUNDS - turn, player.left.sum() // 4, games.table.draws)
        return games, np.int64(max(draws, 1))

    def _games(self, row: HandRow, root: Root, turn: int) -> Games:
        """The lists, made anew when they are old or made for another hand."""
        games = self.games
        if games is None or not self._serves(games, row, root, turn):
            pool = root.unseen
            draws = max(1, min(ROUNDS - turn, len(pool) // 4))
            table = Table(pool, draws, self.minimum, row.winds, self.rules, self.model)
            games = self.games = Games(table, root)
            self.turn = turn
        return games

    def _serves(self, games: Games, row: HandRow, root: Root, turn: int) -> bool:
        """Whether the hand is the one that the lists were made from, a few turns later."""
        made = games.lists.root
        before = [int(code) for code in as_pungs(made.codes) if code]
        now = [int(code) for code in as_pungs(root.codes) if code]
        if games.table.winds != row.winds or any(code not in now for code in before):
            return False
        hands = [each.counts + shown_tiles(each.codes[None])[1][0] for each in (made, root)]
        gone = int(np.maximum(hands[0].astype(np.int64) - hands[1], 0).sum())
        passed = turn - self.turn
        return 0 <= passed < _RENEWED and gone <= passed + len(now) - len(before) + 1
