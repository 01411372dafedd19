"""How far one hand is from winning, from its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..hands.melds import Meld
from ..hands.notation import read_hand
from ..hands.status import InvalidHand, Status
from ..hands.tiles import NAMES, Honors, counts_of, format_tiles, parse_tiles, tiles_of
from ..rules import GB98, AnyRules
from .answers import FORM_NAMES, Acceptance, Discard, Discards, Shanten, Wait, Waits
from .batches import acceptance_batch, discards_batch, shanten_batch
from .results import FORMS, RULED_OUT, AnyForm, forms_of_bits, tiles_of_mask
from .scores import waits_scores_batch


@dataclass(frozen=True)
class HandRow:
    """A hand text as a batch of one."""

    text: str
    columns: dict[str, Any]  # counts, melds
    visible: Any
    circumstances: dict[str, Any]

    @property
    def held(self) -> tuple[int, ...]:
        """Kinds of concealed tiles."""
        return tuple(np.flatnonzero(self.columns["counts"][0]).tolist())

    @property
    def winds(self) -> dict[str, Any]:
        """Seat and prevalent wind as the batch functions take them, east where there is none."""
        names = ("seat_wind", "prevalent_wind")
        return {name: int(self.circumstances.get(name, 0)) for name in names}

    def left(self, tiles: tuple[int, ...]) -> tuple[int, ...]:
        """Count the copies of each tile that are neither held nor in the melds nor visible."""
        gone = self.columns["counts"][0] + self.visible[0]
        for code in self.columns["melds"][0]:
            if code:
                for tile in Meld.from_code(int(code)).tiles:
                    gone[tile] += 1
        return tuple(4 - int(gone[tile]) for tile in tiles)


def read_row(text: str, visible: str, honors: Honors, over: tuple[int, ...]) -> HandRow:
    """Read a hand of 13 less 3 a meld and ``over`` more tiles, and judge it."""
    fields = read_hand(text, honors)
    melds = fields.melds
    if len(melds) > 4:
        raise InvalidHand(Status.BAD_MELD, f"{len(melds)} melds: a hand has at most 4")
    wanted = [13 - 3 * len(melds) + more for more in over]
    if len(fields.tiles) not in wanted:
        after = f" beside {len(melds)} meld{'s' * (len(melds) > 1)}" if melds else ""
        hint = ""
        if over == (0,) and len(fields.tiles) == wanted[0] + 1:
            hint = "; leave the drawn tile out, or ask for the discards"
        if over == (1,) and len(fields.tiles) == wanted[0] - 1:
            hint = "; the drawn tile belongs to the hand"
        raise InvalidHand(
            Status.TILE_COUNT,
            f"{len(fields.tiles)} concealed tiles{after}, {' or '.join(map(str, wanted))} are "
            f"wanted{hint}",
        )
    flags = [name for name, value in fields.circumstances.items() if value is True]
    if flags:
        raise InvalidHand(
            Status.BAD_CIRCUMSTANCES, f"{flags[0]}: a hand that has not been won has no such flag"
        )
    seen = counts_of(parse_tiles(visible, honors))
    held = counts_of([*fields.tiles, *(tile for meld in melds for tile in meld.tiles)])
    for tile, (mine, others) in enumerate(zip(held, seen, strict=True)):
        if mine + others > 4:
            where = " with the visible ones" if others else ""
            raise InvalidHand(
                Status.FIVE_OF_A_KIND,
                f"{mine + others} copies of {NAMES[tile]}{where}: there are four",
            )
    counts = counts_of(fields.tiles)
    written = "".join(map(str, melds)) + format_tiles(tiles_of(counts))
    codes = [meld.code for meld in melds] + [0] * (4 - len(melds))
    columns = {"counts": np.array([counts], np.uint8), "melds": np.array([codes], np.uint8)}
    return HandRow(written, columns, np.array([seen], np.uint8), fields.circumstances)


def shanten(text: str, *, honors: Honors = "chinese") -> Shanten:
    """Shanten of a hand, for each winning form.

    Parameters
    ----------
    text : str
        Melds in brackets and 13 or 14 concealed tiles less 3 a meld, as ``parse_hand`` reads them.
    honors : {"chinese", "riichi"}
        What ``5z 6z 7z`` mean, as for ``parse_hand``.

    Returns
    -------
    Shanten

    Raises
    ------
    InvalidHand
        When the text cannot be read or the hand is impossible.

    Examples
    --------
    >>> print(shanten("[EEE]123m456p78s5s1p"))
    [EEE]123m1456p578s: 1 from ready (regular 1, knitted straight 4)

    Notes
    -----
    The forms are those of the national rules, as for ``shanten_batch``: of honours without sets,
    which doubling rules know, nothing is said.
    """
    row = read_row(text, "", honors, (0, 1))
    found = shanten_batch(**row.columns, threads=1)
    forms = {form: int(getattr(found, form)[0]) for form in FORMS}
    possible = {form: number for form, number in forms.items() if number != RULED_OUT}
    return Shanten(row.text, int(found.best[0]), possible)


def acceptance(
    text: str, *, visible: str = "", form: AnyForm = "best", honors: Honors = "chinese"
) -> Acceptance:
    """Tiles that bring a hand nearer, and how many of them are left.

    Parameters
    ----------
    text : str
        As for ``shanten``.
    visible : str
        Tiles seen in discards and others' melds.
    form : str
        ``"best"`` or a winning form, as for ``acceptance_batch``.
    honors : {"chinese", "riichi"}
        As for ``parse_hand``.

    Returns
    -------
    Acceptance

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.

    Examples
    --------
    >>> print(acceptance("123456789m1234p", visible="11p"))
    ready (regular), accepts 14p (4 copies)
    """
    row = read_row(text, visible, honors, (0, 1))
    found = acceptance_batch(**row.columns, visible=row.visible, form=form, threads=1)
    number = int(found.shanten[0])
    if number == RULED_OUT:
        raise ValueError(f"{FORM_NAMES[form]}: the melds of {row.text} rule it out")
    tiles = tiles_of_mask(int(found.mask[0]))
    return Acceptance(number, tiles, row.left(tiles), forms_of_bits(int(found.forms[0])))


def waits(
    text: str, *, visible: str = "", rules: AnyRules = GB98, honors: Honors = "chinese"
) -> Waits:
    """Winning tiles of a hand, and what they score by discard and by self-draw.

    Parameters
    ----------
    text : str
        Melds in brackets and 13 concealed tiles less 3 a meld, as ``parse_hand`` reads them; winds
        and flowers may follow.
    visible : str
        Tiles seen in discards and others' melds.
    rules : Rules or DoublingRules
        Rule profile.
    honors : {"chinese", "riichi"}
        As for ``parse_hand``.

    Returns
    -------
    Waits

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.

    Examples
    --------
    >>> print(waits("234m567m345p678s5s"))
    234567m345p5678s: waits for 58s (GB98)
      5s: 3 left, 7 by discard, 9 self-drawn, wins only self-drawn
      8s: 3 left, 8 by discard, 10 self-drawn, wins
    """
    row = read_row(text, visible, honors, (0,))
    found = waits_scores_batch(
        **row.columns,
        visible=row.visible,
        rules=rules,
        threads=1,
        **row.circumstances,
    )
    live = int(found.live[0])
    tiles = tiles_of_mask(int(found.mask[0]))
    results = []
    for tile, left in zip(tiles, row.left(tiles), strict=True):
        scored = bool(live >> tile & 1)
        results.append(
            Wait(
                tile,
                left,
                int(found.by_discard[0, tile]) if scored else None,
                int(found.self_drawn[0, tile]) if scored else None,
                bool(found.wins_by_discard[0] >> tile & 1),
                bool(found.wins_self_drawn[0] >> tile & 1),
            )
        )
    return Waits(row.text, rules, tuple(results))


def discards(
    text: str, *, visible: str = "", form: AnyForm = "best", honors: Honors = "chinese"
) -> Discards:
    """Every discard of a 14-tile hand: shanten and accepted tiles of what it leaves, best first.

    Parameters
    ----------
    text : str
        Melds in brackets and 14 concealed tiles less 3 a meld, as ``parse_hand`` reads them.
    visible, form, honors
        As for ``acceptance``.

    Returns
    -------
    Discards

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.

    Examples
    --------
    >>> print(discards("[111p][234p]45678m99sE")[0])
    E: ready (regular), accepts 369m (11 copies)
    """
    row = read_row(text, visible, honors, (1,))
    found = discards_batch(**row.columns, visible=row.visible, form=form, threads=1)
    whole = acceptance_batch(**row.columns, form=form, threads=1)
    if int(whole.shanten[0]) == RULED_OUT:
        raise ValueError(f"{FORM_NAMES[form]}: the melds of {row.text} rule it out")
    results = []
    for tile in row.held:
        tiles = tiles_of_mask(int(found.mask[0, tile]))
        results.append(
            Discard(
                int(found.shanten[0, tile]),
                tiles,
                row.left(tiles),
                forms_of_bits(int(found.forms[0, tile])),
                tile,
            )
        )
    results.sort(key=lambda discard: (discard.shanten, -discard.copies, discard.tile))
    return Discards(row.text, int(whole.shanten[0]), tuple(results))
