"""Roll-outs played by a function of the user's: all samples at once, turn by turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distance.batches import acceptance_batch, shanten_batch
from ..hands.batch import HandBatch
from ..hands.melds import Meld
from ..kernels.value import layout as at
from ..rules import Rules
from ..scoring.batch import score_batch
from .play import Answers, Candidate, Table
from .targets import shown_tiles

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
#: In ``Turn.drawn`` and ``Turn.offered``: there is no such tile.
NO_TILE = 255
#: Answers of a policy: it lets an offered tile pass; it exposes or declares a meld, whose code is
#: added to this.
PASS, MELD = -1, 34


@dataclass(frozen=True, eq=False)
class Turn:
    """What a policy sees: many hands that are asked the same kind of question.

    Either each has drawn a tile and did not win with it, or has claimed one: it discards, or
    declares a kong. Or each is offered a tile that another player discards, does not win with it,
    and could claim it.

    Attributes
    ----------
    counts : ndarray of uint8, shape (N, 34)
        Concealed tiles, a drawn one among them, an offered one not.
    drawn : ndarray of uint8, shape (N,)
        The tile that was drawn, 255 when none was.
    offered : ndarray of uint8, shape (N,)
        The tile that another player discards, 255 when there is none.
    source : int
        Who discards it: 1 the player to the right, 2 across, 3 to the left; 0 nobody.
    visible : ndarray of uint8, shape (N, 34)
        Copies seen in discards and others' melds, as ``discards_batch`` takes them.
    melds : ndarray of uint8, shape (N, 4)
        Meld codes as in a ``HandBatch``.
    number, draws : int
        Which round this is, from 0 on, and how many there are.
    seat_wind, prevalent_wind : int
        Winds as in a ``HandBatch``.
    min_fan : int
        What a win must score.
    rules : Rules
        Rule profile.
    """

    counts: Bytes
    drawn: Bytes
    offered: Bytes
    source: int
    visible: Bytes
    melds: Bytes
    number: int
    draws: int
    seat_wind: int
    prevalent_wind: int
    min_fan: int
    rules: Rules


#: A policy: takes a ``Turn`` of N hands, returns N integers: the tile to discard; or ``PASS``
#: or ``MELD`` and the code of a meld, where a tile is offered or a kong can be declared.
PolicyFunction = Callable[[Turn], Any]


class ByFunction:
    """Hands of one root, played by a function."""

    def __init__(self, table: Table, policy: PolicyFunction):
        self.table, self.policy = table, policy

    def play(self, candidates: list[Candidate], seed: int, first: int, stop: int) -> Answers:
        """Play samples of all hands."""
        from ..kernels.value.rollouts import draw_wall

        table = self.table
        order = np.zeros((stop - first, len(table.pool)), np.uint8)
        coins = np.zeros((stop - first, table.wall, 3), np.int64)
        for sample in range(first, stop):
            at_row = sample - first
            draw_wall(
                table.pool, table.settings(candidates[0], 0), seed, sample, order[at_row],
                coins[at_row],
            )  # fmt: skip
        players = _Players(table, self.policy, candidates, order, coins)
        players.play()
        return players.found


class _Players:
    """All samples of all hands: C hands times S samples are rows, hand by hand."""

    def __init__(
        self, table: Table, policy: PolicyFunction, candidates: list[Candidate], order: Bytes,
        coins: Ints,
    ):  # fmt: skip
        samples, hands = len(order), len(candidates)
        self.table, self.policy, self.first = table, policy, candidates[0]
        self.order, self.coins = np.tile(order, (hands, 1)), np.tile(coins, (hands, 1, 1))
        self.counts = np.repeat([each.counts for each in candidates], samples, 0)
        self.codes = np.repeat([each.root.codes for each in candidates], samples, 0)
        seen = np.repeat([each.seen for each in candidates], samples, 0)
        self.visible = seen - shown_tiles(self.codes)[1]
        rows = len(self.counts)
        self.alive = np.ones(rows, np.bool_)
        self.who = np.full(rows, self.first.starts_with % table.model.a_round)
        self.wall = np.full(rows, table.wall)
        self.place = 0
        self.found = Answers.empty(hands, samples)
        self.flat = Answers(*(values.reshape(rows, *values.shape[2:]) for values in
                              vars(self.found).values()))  # fmt: skip
        self.shanten = np.zeros(rows, np.int8)
        self._note_ready(np.arange(rows), 1)

    @property
    def round(self) -> int:
        """Round of this tile of the wall, from 1 on."""
        return self.place // self.table.model.a_round + 1

    def play(self) -> None:
        """Play until the walls are empty."""
        fates, claimed = self.table.fates, int(self.table.model.claims * at.CERTAIN)
        for place in range(self.table.wall):
            self.place = place
            rows = np.flatnonzero(self.alive & (self.place < self.wall))
            if not len(rows):
                return
            draw, discard, own = fates[self.round - 1]
            fate, tiles = self.coins[:, self.place], self.order[:, self.place]
            others = self.who[rows] > 0
            mine, theirs = rows[~others], rows[others]
            flags = at.REPLACED if self.place == 0 and self.first.after_kong else 1
            self._draw(mine, tiles[mine], flags)
            self._end(theirs[fate[theirs, 1] < draw], at.OTHER_BY_DRAW)
            theirs = theirs[self.alive[theirs]]
            shown = theirs[fate[theirs, 0] < claimed]
            for who in (1, 2, 3):
                at_turn = shown[self.who[shown] == who]
                self._offer(at_turn, tiles[at_turn], who)
            rows = rows[self.alive[rows]]
            hand = rows[self.who[rows] == 0]
            self._end(hand[fate[hand, 2] < own], at.OTHER_BY_HAND)
            theirs = rows[self.who[rows] > 0]
            self._end(theirs[fate[theirs, 1] < discard], at.OTHER_BY_OTHER)
            self.who = (self.who + 1) % self.table.model.a_round

    def _end(self, rows: Ints, how: int) -> None:
        """End samples."""
        self.alive[rows] = False
        self.flat.how[rows], self.flat.turn[rows] = how, self.round
        self.flat.melds[rows] = (self.codes[rows] > 0).sum(1)

    def _win(self, rows: Ints, tiles: Bytes, flags: int) -> None:
        """End the rows whose tile completes a hand that scores enough; the tile is in the hand."""
        ready = self.shanten[rows] == 0
        rows, tiles = rows[ready], tiles[ready]
        if not len(rows):
            return
        base, masks = self._score(rows, self.counts[rows], tiles, flags)
        enough = base >= self.table.minimum
        self._end(rows[enough], at.BY_DRAW if flags & 1 else at.BY_CLAIM)
        self.flat.base[rows[enough]] = base[enough]
        self.flat.fans[rows[enough]] = masks[enough]

    def _score(self, rows: Ints, counts: Bytes, tiles: Bytes, flags: int) -> tuple[Any, Any]:
        """Points, -1 where it is no win, and fans of hands that win with these tiles."""
        seen = (
            self.visible[rows, tiles]
            + shown_tiles(self.codes[rows])[1][np.arange(len(rows)), tiles]
        )
        scores = score_batch(
            HandBatch(
                counts, melds=self.codes[rows], win_tile=tiles, self_drawn=bool(flags & 1),
                kong=bool(flags & 8),
                last_of_kind=(seen == 3) & (counts[np.arange(len(rows)), tiles] == 1),
                **self.table.winds,
            ),
            rules=self.table.rules, threads=1,
        )  # fmt: skip
        return np.where(scores.status == 0, scores.base, -1), scores.fan_mask

    def _note_ready(self, rows: Ints, round_: int) -> None:
        """Bring the shanten up to date, and note who waits, and for enough points."""
        found = shanten_batch(self.counts[rows], melds=self.codes[rows], threads=1)
        self.shanten[rows] = found.best
        rows = rows[(self.shanten[rows] == 0) & (self.flat.ready[rows] == 0)]
        self.flat.waiting[rows[self.flat.waiting[rows] == 0]] = round_
        accepted = acceptance_batch(
            self.counts[rows], melds=self.codes[rows], visible=self.visible[rows], threads=1
        )
        place, tile = np.nonzero(accepted.mask[:, None] >> np.arange(34) & 1 > 0)
        each = rows[place]
        gone = (
            self.visible[each, tile] + shown_tiles(self.codes[each])[1][np.arange(len(each)), tile]
        )
        left = self.counts[each, tile] + gone < 4
        each, tile = each[left], tile[left].astype(np.uint8)
        if len(each):
            whole = self.counts[each] + np.eye(34, dtype=np.uint8)[tile]
            best = self._score(each, whole, tile, 1)[0]
            if self.table.model.claims:
                best = np.maximum(best, self._score(each, whole, tile, 0)[0])
            self.flat.ready[each[best >= self.table.minimum]] = round_

    def _draw(self, rows: Ints, tiles: Bytes, flags: int) -> None:
        """Draw tiles, and win, declare kongs or discard."""
        while len(rows):
            self.counts[rows, tiles] += 1
            self._win(rows, tiles, flags)
            going = self.alive[rows]
            rows, tiles = rows[going], tiles[going]
            answer = self._ask(rows, tiles, np.full(len(rows), NO_TILE, np.uint8), 0)
            kongs = answer >= MELD
            self._discard(rows[~kongs], answer[~kongs], tiles[~kongs])
            rows = rows[kongs]
            for row, code in zip(rows, answer[kongs] - MELD, strict=True):
                self._declare(row, int(code))
            tiles, flags = self._replacements(rows), at.REPLACED

    def _replacements(self, rows: Ints) -> Bytes:
        """Tiles from the end of the wall for rows that have declared a kong."""
        if len(rows):
            self._note_ready(rows, self.round + 1)
        self.wall[rows] -= 1
        return np.asarray(self.order[rows, self.wall[rows]])

    def _offer(self, rows: Ints, tiles: Bytes, who: int) -> None:
        """Offer others' discards: win, claim or pass."""
        self.counts[rows, tiles] += 1
        self._win(rows, tiles, 0)
        self.counts[rows, tiles] -= 1
        going = self.alive[rows]
        rows, tiles = rows[going], tiles[going]
        self.visible[rows, tiles] += 1
        if not self.table.model.melding:
            return
        asked = (self.codes[rows, 3] == 0) & (self.place < self.wall[rows] - 1)
        asked &= _claimable(self.counts[rows], tiles, who == 3)
        rows, tiles = rows[asked], tiles[asked]
        if not len(rows):
            return
        answer = self._ask(rows, np.full(len(rows), NO_TILE, np.uint8), tiles, who)
        claimed = answer != PASS
        rows, tiles, codes = rows[claimed], tiles[claimed], answer[claimed] - MELD
        for row, tile, code in zip(rows, tiles, codes, strict=True):
            self._claim(row, int(tile), int(code))
        self.who[rows] = 0
        kongs = codes >= at.KONG
        self._draw(rows[kongs], self._replacements(rows[kongs]), at.REPLACED)
        rows = rows[~kongs]
        if len(rows):
            nothing = np.full(len(rows), NO_TILE, np.uint8)
            self._discard(rows, self._ask(rows, nothing, nothing, 0), nothing)

    def _ask(self, rows: Ints, drawn: Bytes, offered: Bytes, who: int) -> Ints:
        """Ask the policy, and refuse what cannot be done."""
        if not len(rows):
            return np.zeros(0, np.int64)
        table = self.table
        turn = Turn(
            self.counts[rows], drawn, offered, who, self.visible[rows], self.codes[rows],
            self.round - 1, table.draws, table.winds["seat_wind"], table.winds["prevalent_wind"],
            table.minimum, table.rules,
        )  # fmt: skip
        answer = np.asarray(self.policy(turn))
        if answer.shape != (len(rows),) or answer.dtype.kind not in "iu":
            raise ValueError(
                f"policy must return {len(rows)} integers, got shape {answer.shape} of "
                f"{answer.dtype}"
            )
        answer = answer.astype(np.int64)
        for place in np.flatnonzero(~self._allowed(rows, answer, drawn, offered, who)):
            what = f"discards tile {answer[place]}"
            if answer[place] >= MELD or offered[place] != NO_TILE:
                what = f"answers {answer[place]}"
            raise ValueError(f"policy {what}, which hand {place} does not hold or may not do")
        return answer

    def _allowed(
        self, rows: Ints, answer: Ints, drawn: Bytes, offered: Bytes, who: int
    ) -> npt.NDArray[np.bool_]:
        """Which answers can be followed."""
        allowed = (offered == NO_TILE) & (answer >= 0) & (answer < 34)
        held = self.counts[rows, np.where(allowed, answer, 0)]
        allowed &= held > 0
        allowed |= (offered != NO_TILE) & (answer == PASS)
        for place in np.flatnonzero(answer >= MELD):
            code, row = int(answer[place]) - MELD, rows[place]
            if offered[place] != NO_TILE:
                fits = _missing(code, int(offered[place]), who == 3)
                allowed[place] = fits is not None and bool((self.counts[row] >= fits).all())
            elif drawn[place] != NO_TILE and self.place < self.wall[row] - 1:
                tile = (code - at.KONG) % 34
                pung = (self.codes[row] == at.PUNG + tile).any()
                added = at.KONG <= code < at.CONCEALED and pung and self.counts[row, tile] > 0
                allowed[place] = self.table.model.melding and (
                    bool(added) or (at.CONCEALED <= code <= 136 and self.counts[row, tile] == 4)
                )
        return np.asarray(allowed)

    def _discard(self, rows: Ints, out: Ints, drawn: Bytes) -> None:
        """Discard tiles."""
        self.counts[rows, out] -= 1
        self.visible[rows, out] += 1
        changed = rows[out != drawn]
        if len(changed):
            self._note_ready(changed, self.round + 1)

    def _declare(self, row: int, code: int) -> None:
        """Expose a kong of tiles in the hand."""
        tile = (code - at.KONG) % 34
        self.counts[row, tile] = 0
        place = int(np.argmax(self.codes[row] == (at.PUNG + tile if code < at.CONCEALED else 0)))
        self.codes[row, place] = code

    def _claim(self, row: int, tile: int, code: int) -> None:
        """Expose a meld with an offered tile."""
        self.counts[row] -= _missing(code, tile, True)
        self.visible[row, tile] -= 1
        self.codes[row, int(np.argmax(self.codes[row] == 0))] = code


def _claimable(counts: Bytes, tiles: Bytes, chow: bool) -> npt.NDArray[np.bool_]:
    """Which hands could claim a tile for some meld."""
    rows, tiles = np.arange(len(tiles)), tiles.astype(np.intp)
    may = counts[rows, tiles] >= 2
    if chow:
        rank = np.where(tiles < 27, tiles % 9, 99)
        wide = np.pad(counts, ((0, 0), (2, 2)))
        held = [wide[rows, tiles + 2 + step] > 0 for step in (-2, -1, 1, 2)]
        may |= (rank >= 2) & (rank < 9) & held[0] & held[1]
        may |= (rank >= 1) & (rank <= 7) & held[1] & held[2]
        may |= (rank <= 6) & held[2] & held[3]
    return may


def _missing(code: int, tile: int, chow: bool) -> Bytes | None:
    """Tiles beside an offered one that a meld takes from the hand, or None when it is no such."""
    if not at.CHOW <= code < at.CONCEALED:
        return None
    try:
        tiles = list(Meld.from_code(code).tiles)
    except ValueError:
        return None
    if tile not in tiles or (code < at.PUNG and not chow):
        return None
    tiles.remove(tile)
    return np.bincount(tiles, minlength=34).astype(np.uint8)
