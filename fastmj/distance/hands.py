"""How far one hand is from winning."""

from __future__ import annotations

from typing import Any

from ..hands.tiles import Honors
from ..rules import GB98, RulesLike, resolve_rules
from .answers import FORM_NAMES, Acceptance, Discard, Discards, Shanten, Wait, Waits
from .batches import acceptance_batch, discards_batch, shanten_batch
from .reading import AnyHand, AnyMelds, read_row
from .results import FORMS, RULED_OUT, AnyForm, forms_of_bits, tiles_of_mask
from .scores import waits_scores_batch


def shanten(hand: AnyHand, *, melds: AnyMelds = None, honors: Honors = "chinese") -> Shanten:
    """Shanten of a hand, for each winning form.

    Parameters
    ----------
    hand : str, Hand or array_like of int
        A text as ``parse_hand`` reads it: melds in brackets and 13 or 14 concealed tiles less 3 a
        meld; a ``Hand``; or 34 counts of the concealed tiles.
    melds : iterable of Meld, str or int, optional
        The melds beside counts: each a ``Meld``, its text or its code.
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
    row = read_row(hand, "", honors, (0, 1), melds)
    found = shanten_batch(**row.columns, threads=1)
    forms = {form: int(getattr(found, form)[0]) for form in FORMS}
    possible = {form: number for form, number in forms.items() if number != RULED_OUT}
    return Shanten(row.text, int(found.best[0]), possible)


def acceptance(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    visible: Any = "",
    form: AnyForm = "best",
    honors: Honors = "chinese",
) -> Acceptance:
    """Tiles that bring a hand nearer, and how many of them are left.

    Parameters
    ----------
    hand, melds, honors
        As for ``shanten``.
    visible : str or array_like of int
        Tiles seen in discards and others' melds, as a text or 34 counts.
    form : str
        ``"best"`` or a winning form, as for ``acceptance_batch``.

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
    row = read_row(hand, visible, honors, (0, 1), melds)
    found = acceptance_batch(**row.columns, visible=row.visible, form=form, threads=1)
    number = int(found.shanten[0])
    if number == RULED_OUT:
        raise ValueError(f"{FORM_NAMES[form]}: the melds of {row.text} rule it out")
    tiles = tiles_of_mask(int(found.mask[0]))
    return Acceptance(number, tiles, row.left(tiles), forms_of_bits(int(found.forms[0])))


def waits(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    visible: Any = "",
    rules: RulesLike = GB98,
    honors: Honors = "chinese",
) -> Waits:
    """Winning tiles of a hand, and what they score by discard and by self-draw.

    Parameters
    ----------
    hand : str, Hand or array_like of int
        A text as ``parse_hand`` reads it: melds in brackets and 13 concealed tiles less 3 a meld,
        winds and flowers behind them; a ``Hand``, of which the tiles before the win count; or 34
        counts of the concealed tiles.
    melds, visible, honors
        As for ``acceptance``.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one: gb98, wmo2006, regional.

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
    rules = resolve_rules(rules)
    row = read_row(hand, visible, honors, (0,), melds)
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
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    visible: Any = "",
    form: AnyForm = "best",
    honors: Honors = "chinese",
) -> Discards:
    """Every discard of a 14-tile hand: shanten and accepted tiles of what it leaves, best first.

    Parameters
    ----------
    hand : str, Hand or array_like of int
        As for ``shanten``, with 14 concealed tiles less 3 a meld.
    melds, visible, form, honors
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
    row = read_row(hand, visible, honors, (1,), melds)
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
