"""How far many hands are from winning: shanten, waits, acceptance and discards as columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..hands.batch import array_of, as_bytes, column_of, rows_of_counts
from ..hands.columns import Bytes
from ..hands.tiles import KINDS
from ..quoting import quoted
from ..threads import run_chunks
from .results import (
    FORMS,
    AcceptanceBatch,
    AnyForm,
    DiscardBatch,
    RegularShantenBatch,
    ShantenBatch,
    WaitBatch,
    memory_of,
)


def shanten_batch(
    counts: Any,
    *,
    melds: Any = None,
    threads: int | None = None,
    out: ShantenBatch | None = None,
) -> ShantenBatch:
    """Shanten of many hands, for each winning form.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m or 14 - 3m tiles beside m melds.
    melds : array_like of int, shape (N,) or (N, 4), or int, optional
        The meld codes of a ``HandBatch``, or only how many melds there are, by default none. With
        codes the tiles that lie in melds are gone; a number leaves it open which these are, so that
        a hand may be called ready that waits for tiles of its own melds.
    threads : int, optional
        Threads to use, by default one a core. The result does not depend on it.
    out : ShantenBatch, optional
        Results of a call for as many hands, whose arrays are written into instead of new ones.

    Returns
    -------
    ShantenBatch
        ``out``, if it is given.

    Raises
    ------
    TypeError, ValueError
        For a wrong dtype or shape. Rows that are no hand get a status.

    Examples
    --------
    >>> import numpy as np
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> texts = ["123456789m1234p", "1133557799m11p2s", "123456789m1p"]
    >>> hands = np.array([counts_of(parse_tiles(text)) for text in texts])
    >>> found = shanten_batch(hands, melds=[0, 0, 1])
    >>> found.best, found.seven_pairs
    (array([0, 0, 0], dtype=int8), array([  6,   0, 127], dtype=int8))

    Notes
    -----
    Shanten is the fewest tiles to draw, less one, until the hand contains a winning shape of which
    no tile occurs more than four times, those in melds counted in where their codes are known. So
    1111m beside three melds is not ready: its only wait would be a fifth 1m; nor is 13m beside a
    kong of 2m. Copies that are visible elsewhere do not count: they matter to ``acceptance_batch``
    and ``waits_batch``. A quad counts as two pairs for seven pairs. Winning forms: RULES section 2;
    honours without sets, which doubling rules know, are none of them (``waits_scores_batch`` finds
    their waits).
    """
    return shanten_of(Input(counts, melds, None), threads, out)


def shanten_of(given: Input, threads: int | None, out: ShantenBatch | None = None) -> ShantenBatch:
    """``shanten_batch`` of columns that are normalised already."""
    length = len(given.counts)
    memory = memory_of(out, ShantenBatch, length) or (
        np.empty((len(FORMS) + 1, length), np.int8), np.empty(length, np.uint8),
    )  # fmt: skip
    given.run("shanten", memory, threads)
    if out is not None:
        return out
    found, status = memory
    return ShantenBatch(status, memory, *found)


def regular_shanten_batch(
    counts: Any, *, melds: Any = None, threads: int | None = None
) -> RegularShantenBatch:
    """Shanten of many hands for sets and a pair alone: half the time of ``shanten_batch``.

    Parameters
    ----------
    counts, melds, threads
        As for ``shanten_batch``.

    Returns
    -------
    RegularShantenBatch

    Examples
    --------
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> regular_shanten_batch([counts_of(parse_tiles("147m258p369sEEE1m"))]).regular
    array([5], dtype=int8)
    """
    given = Input(counts, melds, None)
    shanten = np.empty(len(given.counts), np.int8)
    status = np.empty(len(given.counts), np.uint8)
    given.run("regular", (shanten, status), threads)
    return RegularShantenBatch(status, regular=shanten)


def waits_batch(
    counts: Any,
    *,
    melds: Any = None,
    visible: Any = None,
    threads: int | None = None,
    out: WaitBatch | None = None,
) -> WaitBatch:
    """Winning tiles of many hands, over all winning forms.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m tiles beside m melds.
    melds : array_like of int, shape (N,) or (N, 4), or int, optional
        The meld codes of a ``HandBatch``, or only how many melds there are, by default none: then
        their tiles count as left unless they are among the ``visible`` ones.
    visible : array_like of int, shape (N, 34) or (34,), optional
        Copies seen elsewhere: discards, others' melds, and the hand's own melds where ``melds``
        only says how many there are.
    threads : int, optional
        Threads to use, by default one a core.
    out : WaitBatch, optional
        As for ``shanten_batch``.

    Returns
    -------
    WaitBatch

    Examples
    --------
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> found = waits_batch([counts_of(parse_tiles("2223456777p"))], melds=1)
    >>> [tile + 1 for tile in range(9) if found.mask[0] >> 9 + tile & 1]
    [1, 2, 3, 4, 5, 6, 7, 8]

    Notes
    -----
    ``mask`` has the formal waits, fifth copies among them, as RULES section 6 wants; ``live``
    leaves out what the hand holds itself, in melds too, and what is visible. A hand that holds all
    copies of all its waits is not ready by ``shanten_batch``.
    """
    return waits_of(Input(counts, melds, visible), threads, out)


def waits_of(given: Input, threads: int | None, out: WaitBatch | None = None) -> WaitBatch:
    """``waits_batch`` of columns that are normalised already."""
    length = len(given.counts)
    memory = memory_of(out, WaitBatch, length) or (
        np.empty(length, np.int64), np.empty(length, np.int64),
        np.empty(length, np.uint8), np.empty(length, np.uint8),
    )  # fmt: skip
    given.run("waits", memory, threads, (0, 0))
    if out is not None:
        return out
    mask, live, forms, status = memory
    return WaitBatch(status, memory, forms, live, mask)


def acceptance_batch(
    counts: Any,
    *,
    melds: Any = None,
    visible: Any = None,
    form: AnyForm = "best",
    threads: int | None = None,
    out: AcceptanceBatch | None = None,
) -> AcceptanceBatch:
    """Tiles that bring many hands nearer, and how many of them are left.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m or 14 - 3m tiles beside m melds.
    melds : array_like of int, shape (N,) or (N, 4), or int, optional
        As for ``shanten_batch``: with codes the tiles of the melds are gone.
    visible, threads
        As for ``waits_batch``; what is visible lowers the copies, not the shanten.
    form : str
        ``"best"``: tiles that lower the lowest shanten, through whichever forms have it. Or the
        name of one form.
    out : AcceptanceBatch, optional
        As for ``shanten_batch``.

    Returns
    -------
    AcceptanceBatch

    Examples
    --------
    >>> from fastmj.distance import tiles_of_mask
    >>> from fastmj.hands.tiles import counts_of, format_tiles, parse_tiles
    >>> found = acceptance_batch([counts_of(parse_tiles("123456789m1234p"))])
    >>> format_tiles(tiles_of_mask(int(found.mask[0]))), found.copies
    ('14p', array([6], dtype=int16))

    Notes
    -----
    A tile is accepted when the hand with it is nearer than the hand without. Of a 14-tile hand that
    is so when some discard that does not set it back leaves 13 tiles that accept the tile.
    """
    return acceptance_of(Input(counts, melds, visible), threads, form, out)


def acceptance_of(
    given: Input, threads: int | None, form: AnyForm = "best", out: AcceptanceBatch | None = None
) -> AcceptanceBatch:
    """``acceptance_batch`` of columns that are normalised already."""
    memory = _accept(given, form, memory_of(out, AcceptanceBatch, len(given.counts)), 1, threads)
    if out is not None:
        return out
    shanten, mask, copies, forms, status = memory
    return AcceptanceBatch(status, memory, copies[:, 0], forms[:, 0], mask[:, 0], shanten[:, 0])


def discards_batch(
    counts: Any,
    *,
    melds: Any = None,
    visible: Any = None,
    form: AnyForm = "best",
    threads: int | None = None,
    out: DiscardBatch | None = None,
) -> DiscardBatch:
    """Shanten, accepted tiles and their copies after every discard of many 14-tile hands.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 14 - 3m tiles beside m melds.
    melds, visible, form, threads
        As for ``acceptance_batch``.
    out : DiscardBatch, optional
        As for ``shanten_batch``.

    Returns
    -------
    DiscardBatch
        408 bytes a hand: cut very long batches into pieces.

    Examples
    --------
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> found = discards_batch([counts_of(parse_tiles("123456789m1234pE"))])
    >>> found.shanten[0, [9, 27]], found.copies[0, [9, 27]]
    (array([0, 0], dtype=int8), array([3, 6], dtype=int16))
    """
    given = Input(counts, melds, visible)
    memory = _accept(given, form, memory_of(out, DiscardBatch, len(given.counts)), KINDS, threads)
    if out is not None:
        return out
    shanten, mask, copies, forms, status = memory
    return DiscardBatch(status, memory, copies, forms, mask, shanten)


def _accept(given: Input, form: str, memory: Any, places: int, threads: int | None) -> Any:
    """Arrays with what is accepted by the hands as they stand, or after each of 34 discards."""
    number, discards, length = _form_number(form), places > 1, len(given.counts)
    memory = memory or (
        np.empty((length, places), np.int8), np.empty((length, places), np.int64),
        np.empty((length, places), np.int16), np.empty((length, places), np.uint8),
        np.empty(length, np.uint8),
    )  # fmt: skip
    given.run("acceptance", (number, discards, *memory), threads, (int(discards), 1))
    return memory


def _form_number(form: str) -> int:
    number = _FORM_NUMBERS.get(form) if isinstance(form, str) else None
    if number is None:
        raise ValueError(f"form must be one of {', '.join(_FORM_NUMBERS)}, got {quoted(form)}")
    return number


_FORM_NUMBERS = {"best": len(FORMS)} | {form: place for place, form in enumerate(FORMS)}


def codes_of(melds: Any, length: int) -> Bytes:
    """Meld codes (N, 4) where a number of melds is not enough; None and 0 are no melds.

    Raises
    ------
    ValueError
        When ``melds`` says only how many there are.
    """
    given = array_of("melds", 0 if melds is None else melds)
    if given.ndim < 2 and not column_of("melds", given, length).any():
        return as_bytes("melds", np.zeros((length, 4), np.uint8))
    if given.ndim != 2:
        raise ValueError(
            "melds must be codes of the shape (N, 4), as in a HandBatch: which they are is needed"
        )
    return as_bytes("melds", given, (length, 4))


def visible_rows(visible: Any, length: int) -> Bytes:
    """Copies seen elsewhere, (N, 34) or one row for all."""
    if visible is None:
        return _NOTHING_SEEN
    visible = array_of("visible", visible)
    shape = (length, KINDS) if visible.ndim == 2 else (KINDS,)
    return as_bytes("visible", visible, shape).reshape(-1, KINDS)


class Input:
    """The columns that a call is given, normalised."""

    def __init__(self, counts: Any, melds: Any, visible: Any):
        self.counts = rows_of_counts(counts)
        length = len(self.counts)
        self.visible = visible_rows(visible, length)
        self.codes, self.melds, self.meld_step = _NO_CODES, _NO_MELDS, 0
        if melds is None:
            return
        melds = array_of("melds", melds)
        if melds.ndim == 2:
            self.codes = as_bytes("melds", melds, (length, 4))
        else:
            shape = (length,) if melds.ndim else ()
            self.melds = as_bytes("melds", melds, shape).reshape(-1)
            self.meld_step = melds.ndim

    @property
    def seen(self) -> Bytes | None:
        """Copies outside the concealed tiles, (N, 34) where meld codes are known; None for none."""
        if self.codes is _NO_CODES:
            return None if self.visible is _NOTHING_SEEN else self.visible
        from ..kernels.distance.melds import meld_rows

        number = np.empty(len(self.codes), np.uint8)
        seen = np.empty(self.counts.shape, np.uint8)
        seen[...] = self.visible
        meld_rows(self.codes, number, seen, 0, len(seen))
        return as_bytes("visible", seen)

    def run(
        self,
        kernel: str | Callable[..., None],
        arguments: tuple[Any, ...],
        threads: int | None,
        over: tuple[int, int] = (0, 1),
    ) -> None:
        """Call ``kernel(tables, rows, trusted, *arguments, start, stop)`` for all rows.

        A kernel of this room is told by what it finds. Tables and rows come as plain tuples.
        ``over`` says how many tiles more than 13 less 3 a meld a row may have.
        """
        loaded, known, seen = _loaded(), self.codes is not _NO_CODES, self.visible
        call = loaded.kernels[kernel][known] if isinstance(kernel, str) else kernel

        def work(start: int, stop: int) -> None:
            memory = np.empty(loaded.size, np.int64) if known else loaded.nothing
            rows = (
                self.counts, self.melds, self.meld_step, seen, int(len(seen) > 1), self.codes,
                int(known), memory, *over,
            )  # fmt: skip
            # The kernel sees for itself, quicker for few, whether it may trust its rows.
            trusted = (
                stop - start >= _FEW
                and seen is _NOTHING_SEEN
                and bool(self.counts[start:stop].max() <= 4)
            )
            call(loaded.tables, rows, trusted, *arguments, start, stop)

        run_chunks(work, len(self.counts), threads)


_NOTHING_SEEN = as_bytes("visible", np.zeros((1, KINDS), np.uint8))
_NO_CODES = as_bytes("melds", np.zeros((1, 4), np.uint8))
_NO_MELDS = as_bytes("melds", np.zeros(1, np.uint8))
_FEW = 500


class _Loaded(NamedTuple):
    """What a call needs of the kernels: an import that is done costs 1 µs a call."""

    size: tuple[int, ...]  # of a call's memory
    nothing: Any  # in its place where no melds are known
    tables: tuple[Any, ...]  # plain, without their names
    kernels: dict[str, tuple[Any, Any]]  # by what they find: without known melds, beside them


@lru_cache(maxsize=1)
def _loaded() -> _Loaded:
    from ..kernels.distance import acceptance, locks, mend, shanten, waits
    from ..tables.distance.load import distance_tables

    kernels = {
        "shanten": (shanten.shanten_rows, mend.shanten_beside),
        "regular": (shanten.regular_rows, mend.regular_beside),
        "waits": (waits.wait_rows, mend.waits_beside),
        "acceptance": (acceptance.acceptance_rows, mend.acceptance_beside),
    }
    nothing = np.empty(locks.MEMORY, np.int64)
    return _Loaded(locks.MEMORY, nothing, tuple(distance_tables()), kernels)
