"""Lists of goals by set of melds: what the policy ``weigh`` steers for."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distance.reading import HandRow
from ..hands.batch import as_bytes
from ..hands.columns import Bytes
from ..kernels.value import layout as at
from ..rules import Rules
from .model import Model
from .targets import asked_for, shown_tiles, targets_within

#: Most tiles that the nearest goal may miss; how many tiles behind it goals are listed, and one
#: less where a level has more goals than ``_MANY``; most goals found, and most kept a list, fewer
#: where tiles can be claimed and every claim is weighed. On 200 deals: one tile behind 43 %, two
#: 49.4, three 50.4 for twice the time; 1000 goals a list 48.2, 3000 49.1, 10,000 49.3 and a quarter
#: slower. By self-draws alone 14.6 and 14.9 % of 500 deals.
_MOST_DRAWN, _BEHIND, _MANY, _FOUND, MOST_KEPT, _KEPT_OPEN = 8, 2, 24_000, 200_000, 10_000, 3000
#: Power of a chance in a weight: goals share tiles, and many far ones shall not outvote a few.
_POWER = 2


@dataclass(frozen=True, eq=False)
class Root:
    """A hand to play on: what is held before the first discard, and what everybody sees.

    ``counts`` and ``seen`` (outside the concealed tiles, own melds among them) are uint8 (34,),
    ``codes`` (4,).
    """

    counts: Bytes
    seen: Bytes
    codes: Bytes

    @property
    def unseen(self) -> Bytes:
        """Tiles that may be drawn, uint8 (U,)."""
        return np.repeat(np.arange(34, dtype=np.uint8), 4 - self.counts - self.seen)


def root_of(row: HandRow) -> Root:
    """The hand that was read, with what everybody sees."""
    codes = row.columns["melds"]
    seen = (row.visible + shown_tiles(codes)[1])[0].astype(np.uint8)
    return Root(row.columns["counts"][0], seen, codes[0])


class GoalLists:
    """Lists of goals that are made when they are asked for, for all threads.

    They are made from the root alone, never from a hand on the way, so that they do not depend on
    samples or threads. ``table`` is what the kernels read: it is replaced as a whole.
    """

    def __init__(
        self, root: Root, model: Model, minimum: int, winds: dict[str, int], rules: Rules,
        unseen: int, draws: int,
    ):  # fmt: skip
        from ..kernels.value.targets import BY_BOTH, BY_SELF_DRAW
        from ..kernels.value.weigh import HEAD_WIDTH, LAST_SETS, Lists

        self.root, self.model, self.minimum = root, model, minimum
        self.winds, self.rules, self.draws = winds, rules, draws
        self.way = BY_BOTH if model.claims else BY_SELF_DRAW
        self.chances = _chances(draws, unseen)
        self.factors = _factors(self.chances)
        self.lock = Lock()
        self.number = 1  # list 0 is the empty one before all
        lists = Lists(
            np.zeros((64, HEAD_WIDTH), np.int64), np.zeros(4096, np.int64),
            np.zeros((8192, 4), np.uint16), np.zeros(8192, np.float32),
            np.zeros((64, LAST_SETS), np.int64),
        )  # fmt: skip
        self.table = lists, np.full(256, -1, np.int64), np.zeros(256, np.int64)
        self.known: dict[int, int] = {}
        self.base = self._search()
        self.counts = as_bytes("goals", self.base[:, :34])
        self.add(key_of_codes(root.codes))

    def _search(self) -> npt.NDArray[np.int16]:
        """Goals of the root: the nearest complete hands that score enough, and some behind."""
        from ..kernels.value.targets import TARGET_WIDTH

        codes, seen = self.root.codes[None], self.root.seen[None]
        found: list[npt.NDArray[np.int16]] = []
        for drawn in range(_MOST_DRAWN + 1):
            rows = targets_within(
                drawn, self.root.counts[None], seen, seen, codes, self.minimum, self.way,
                self.winds, self.rules, _FOUND,
            )  # fmt: skip
            if len(rows) or found:
                found.append(rows)
            if len(found) > _BEHIND or (len(found) == _BEHIND and len(rows) > _MANY):
                break
        return np.concatenate(found) if found else np.zeros((0, TARGET_WIDTH), np.int16)

    def add(self, key: int) -> None:
        """Make the list of some melds, if nobody has."""
        from ..kernels.value.lists import SLOTS, add_list, fill_singles

        with self.lock:
            if key in self.known:
                return
            codes = as_bytes("melds", np.array([_codes(key)]))
            number, shown = (each[0] for each in shown_tiles(codes))
            hand = np.zeros((1, 38), np.uint8)
            hand[0, 34:] = codes
            goals, phi = self._capped(self._beside(codes, int(number), shown, hand))
            self._reserve(len(goals))
            lists, keys, numbers = self.table
            add_list(
                lists, self.number, goals, phi.astype(np.float32), np.zeros((2, SLOTS), np.int64)
            )
            if number == 3 and self.model.melding and self.model.claims:
                scoring, profile = self._scorer()
                asked = asked_for(self.minimum, self.way, **self.winds)
                fill_singles(
                    lists, self.number, hand, shown.astype(np.int64), asked, scoring, profile
                )
            self.known[key] = self.number
            self.number += 1
            self.table = lists, *_with(keys, numbers, self.known)

    def _scorer(self) -> tuple[Any, Any]:
        from ..tables.scoring.load import load_tables
        from ..tables.scoring.profile import compile_rules

        return load_tables(), compile_rules(self.rules)

    def _beside(self, codes: Bytes, number: int, shown: Bytes, hand: Bytes) -> Any:
        """Goals beside some melds: those of the root that hold what is new, scored again."""
        from ..kernels.value.lists import goals_with
        from ..kernels.value.targets import FOUND, TARGET_WIDTH

        new = [int(code) for code in codes[0] if code]
        if sorted(new) == sorted(int(code) for code in self.root.codes if code):
            return self.base
        own = shown_tiles(self.root.codes[None])[1][0].astype(np.int64)
        gone = shown.astype(np.int64) - own
        sets = [shown_tiles(as_pungs(each))[1][0] for each in (codes, self.root.codes[None])]
        base, taken = self.counts, sets[0].astype(np.int64) - sets[1]
        if number == 4:  # all that is left to find is the pair
            base, taken = as_bytes("pairs", 2 * np.eye(34, dtype=int)), np.zeros(34, np.int64)
        asked = asked_for(self.minimum, self.way, **self.winds)
        scratch = np.zeros(at.SCRATCH, np.int64)
        seen = self.root.seen + gone
        scratch[at.HELD, :34] = np.maximum(self.root.counts - gone, 0)
        scratch[at.SPARE, :34] = 4 - seen
        scratch[at.SHOWN, :34] = seen
        targets = np.zeros((len(base), TARGET_WIDTH), np.int16)
        goals_with(base, scratch, hand, asked, taken, targets, *self._scorer())
        return targets[: int(asked[FOUND])]

    def _capped(self, rows: npt.NDArray[np.int16]) -> tuple[Bytes, npt.NDArray[np.float64]]:
        """Counts and worths of the goals that weigh most at the start."""
        from ..kernels.value.targets import TARGET_CLAIMED, TARGET_DRAWN, TARGET_KINDS

        ways = rows[:, TARGET_DRAWN] + 3 * self.model.claims * rows[:, TARGET_CLAIMED]
        phi = (ways / np.maximum(rows[:, TARGET_KINDS], 1)) ** _POWER
        counts = as_bytes("goals", rows[:, :34])
        # in no order: neighbours that want the same of a suit would add to one sum in turn
        order = np.argsort(np.arange(len(phi)) * 0x9E3779B1 % (1 << 32))
        counts, phi = counts[order], phi[order]
        most = _KEPT_OPEN if self.model.claims else MOST_KEPT
        if len(phi) > most:
            held = self.root.counts.astype(np.int64)
            left = np.clip(4 - held - self.root.seen, 0, 4)
            weight = phi.copy()
            for tile in range(34):
                weight *= self.factors[self.draws, held[tile], left[tile]][counts[:, tile]]
            kept = np.sort(np.argsort(-weight, kind="stable")[:most])
            counts, phi = counts[kept], phi[kept]
        return np.ascontiguousarray(counts), phi

    def _reserve(self, goals: int) -> None:
        """Make room for one more list."""
        lists, keys, numbers = self.table
        head = lists.heads[self.number - 1]
        wanted = {
            "heads": self.number + 1, "singles": self.number + 1,
            "patterns": head[4] + 4 * goals, "places": head[6] + goals, "phi": head[6] + goals,
        }  # fmt: skip
        grown = {name: _grown(getattr(lists, name), int(size)) for name, size in wanted.items()}
        self.table = lists._replace(**grown), keys, numbers


def _grown(array: Any, size: int) -> Any:
    """The array, or a copy at least twice as long."""
    if size <= len(array):
        return array
    return np.concatenate([array, np.zeros((max(size, len(array)), *array.shape[1:]), array.dtype)])


def key_of_codes(codes: Any) -> int:
    """Melds as a number, as ``kernels.value.decide`` makes it."""
    number = 0
    for code in sorted(int(code) for code in codes if code):
        number = number << 8 | code
    return number


def _codes(key: int) -> list[int]:
    """Four meld codes of such a number."""
    return [key >> 8 * place & 255 for place in range(4)]


def as_pungs(codes: Bytes) -> Bytes:
    """Meld codes with pungs for kongs: a goal has three of a kong's tiles."""
    return np.where(codes >= at.KONG, (codes - at.KONG) % 34 + at.PUNG, codes).astype(np.uint8)


def _with(keys: Any, numbers: Any, known: dict[int, int]) -> tuple[Any, Any]:
    """Copies of a table of keys with the last one that is known; twice as large when half full."""
    from ..kernels.value.decide import slot_of

    fresh = [next(reversed(known.items()))]
    keys, numbers = keys.copy(), numbers.copy()
    if 2 * len(known) > len(keys):
        fresh = list(known.items())
        keys, numbers = np.full(2 * len(keys), -1, np.int64), np.zeros(2 * len(keys), np.int64)
    for key, number in fresh:
        slot = slot_of(keys, np.int64(key))
        keys[slot], numbers[slot] = key, number
    return keys, numbers


def _chances(draws: int, unseen: int) -> npt.NDArray[np.float32]:
    """Chance to draw one of so many copies in so many draws, (T, 5)."""
    turns = np.maximum(np.arange(draws + 1), 0.5)[:, None]
    return np.asarray(1 - np.exp(-turns / max(unseen, 1) * np.arange(5)), np.float32)


def _factors(chances: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Factor of a kind, by draws left, copies held, left and wanted, (T, 5, 5, 5).

    The chance to draw every missing copy, halved for each behind the first: it must come on a draw
    of its own.
    """
    factors = np.ones((len(chances), 5, 5, 5))
    for held in range(5):
        for left in range(5):
            for wanted in range(held + 1, 5):
                for place in range(wanted - held):
                    factors[:, held, left, wanted] *= chances[:, max(left - place, 0)] * (
                        0.5 if place else 1
                    )
    return np.asarray(factors**_POWER, np.float32)
