"""What can be done with a hand: discards, kongs, and answers to a tile that is offered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..distance.reading import HandRow
from ..hands.melds import Meld
from ..hands.status import InvalidHand, Status
from ..hands.tiles import NAMES, Honors, parse_tiles
from ..kernels.value import layout as at
from .lists import Root
from .play import Candidate

#: Who discards an offered tile, by turns after the hand's own.
SOURCES = ("right", "across", "left")


def candidates_of(row: HandRow, root: Root, kongs: bool) -> list[Candidate]:
    """Ways to play a hand on: as it stands, or each discard and kong of one that has drawn."""
    if root.counts.sum() % 3 == 1:
        return [Candidate("stand", 0, None, root, 0)]
    after = [Candidate("discard", 0, int(tile), root, 1) for tile in np.flatnonzero(root.counts)]
    for tile in range(34):
        if kongs and root.counts[tile] == 4:
            after.append(_kong(root, at.CONCEALED + tile, 4, 0))
        elif kongs and root.counts[tile] and (root.codes == at.PUNG + tile).any():
            after.append(_kong(root, at.KONG + tile, 1, at.PUNG + tile))
    return after


def _kong(root: Root, code: int, taken: int, replaced: int) -> Candidate:
    """The hand after a kong with ``taken`` of its tiles, before it draws again."""
    tile = (code - at.KONG) % 34
    counts, seen, codes = root.counts.copy(), root.seen.copy(), root.codes.copy()
    counts[tile] -= taken
    seen[tile] = 4
    codes[np.argmax(codes == replaced)] = code
    return Candidate("kong", code, None, Root(counts, seen, codes), 0)


def answers_to(root: Root, tile: int, source: int) -> list[Candidate]:
    """Ways to answer a tile that another player discards, ``source`` 1-3, but for winning."""
    if root.counts.sum() % 3 != 1:
        raise InvalidHand(
            Status.TILE_COUNT,
            "a tile is offered to a hand that has not drawn: of 13 tiles, less 3 a meld",
        )
    if root.counts[tile] + root.seen[tile] > 3:
        raise InvalidHand(
            Status.FIVE_OF_A_KIND, f"{NAMES[tile]} is offered, but four are held or seen already"
        )
    seen = root.seen.copy()
    seen[tile] += 1
    after = [Candidate("pass", 0, None, Root(root.counts, seen, root.codes), (source + 1) % 4)]
    if root.codes[3]:
        return after
    for code in _melds_with(root.counts, tile, source == 3):
        counts, codes, gone = root.counts.copy(), root.codes.copy(), root.seen.copy()
        for each in Meld.from_code(code).tiles:
            counts[each] -= each != tile
            gone[each] += 1
        if code >= at.PUNG:
            counts[tile] = root.counts[tile] - (2 if code < at.KONG else 3)
        codes[np.argmax(codes == 0)] = code
        melded = Root(counts, gone, codes)
        if code >= at.KONG:
            after.append(Candidate("claim", code, None, melded, 0))
        else:
            after += [
                Candidate("claim", code, int(out), melded, 1) for out in np.flatnonzero(counts)
            ]
    return after


def read_offer(offered: str | None, source: Any, honors: Honors) -> tuple[int, int]:
    """The tile that is offered, and by whom: 1-3 turns after the hand's own."""
    if offered is None or source is None:
        raise ValueError("offered and source go together: which tile, and who discards it")
    if source not in SOURCES:
        raise ValueError(f"source must be 'left', 'across' or 'right', got {source!r}")
    tiles = parse_tiles(offered, honors)
    if len(tiles) != 1:
        raise ValueError(f"offered must be one tile, got {offered!r}")
    return tiles[0], SOURCES.index(source) + 1


def _melds_with(counts: Any, tile: int, chow: bool) -> list[int]:
    """Codes of the melds that a hand can make with an offered tile."""
    codes = []
    for low in range(tile - 2, tile + 1):
        fits = tile < 27 and low >= tile - tile % 9 and low % 9 <= 6
        others = [each for each in range(low, low + 3) if each != tile]
        if chow and fits and all(counts[each] for each in others):
            codes.append(at.CHOW + low)
    if counts[tile] >= 2:
        codes.append(at.PUNG + tile)
    if counts[tile] == 3:
        codes.append(at.KONG + tile)
    return codes


def name_of(action: str, meld: Meld | None, discard: int | None) -> str:
    """What is done, in words."""
    words = {"stand": "as it stands", "pass": "pass", "win": "win", "discard": ""}
    done = words.get(action, f"{action} {meld}")
    if discard is not None:
        done += ("" if action == "discard" else ", ") + NAMES[discard]
    return done


def among(candidates: list[Candidate], only: Iterable[str]) -> list[Candidate]:
    """The candidates that are named; a claim without its discard names all discards behind it."""
    names, wanted = [], set(only)
    for each in candidates:
        meld = Meld.from_code(each.meld) if each.meld else None
        names.append({name_of(each.action, meld, out) for out in (each.discard, None)} - {""})
    unknown = wanted.difference(*names)
    if unknown or not wanted:
        known = sorted(set().union(*names))
        raise ValueError(
            f"only: {sorted(unknown)} cannot be done; there are {known}"
            if unknown else "only names no choice"
        )  # fmt: skip
    return [each for each, own in zip(candidates, names, strict=True) if own & wanted]
