"""What holds for every hand: symmetries, batch and single, threads, processes, sums, money."""

from __future__ import annotations

import ast
import hashlib
import itertools
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastmj
from fastmj import (
    FANS,
    GB98,
    WMO2006,
    Hand,
    HandBatch,
    Rules,
    Status,
    parse_hand,
    random_wins,
    score_batch,
    score_hand,
    settle,
    settle_false_win,
    standings,
    threads,
    validate,
)
from fastmj.reference import explain as explain
from fastmj.reference import list_readings
from fastmj.rules import OPTIONS
from fastmj.samples.wins import WIN_FORMS, random_wins_with_forms

ROOT = Path(fastmj.__file__).parent.parent
COLUMNS = ("total", "base", "fan_mask", "fan_counts", "wins", "status")
SEEDS = st.integers(0, 2**63 - 1)
#: A house profile in which everything differs from both standard ones.
HOUSE = GB98.replace(
    name="house",
    min_fan=6,
    values={"清龙": 13, "连六": 2, "喜相逢": 0, "双同刻": 3, "自摸": 2, "花牌": 3, "坎张": 4},
    strict98_voided=True,
    strict98_pairs=True,
    green_half_flush=True,
)
PROFILES = {"GB98": GB98, "WMO2006": WMO2006, "house": HOUSE}
profiles = pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)


@pytest.fixture(scope="module")
def corpus() -> HandBatch:
    """More rows than two chunks."""
    return random_wins(2 * threads.CHUNK + 1, seed=77)


def assert_same(one, other, rows=slice(None)) -> None:
    for column in COLUMNS:
        mine, theirs = getattr(one, column), getattr(other, column)
        if mine is not None and theirs is not None:
            assert np.array_equal(mine[rows], theirs), column


# --- symmetries


def permuted_suits(batch: HandBatch, order: tuple[int, int, int]) -> HandBatch:
    """Suit ``s`` becomes suit ``order[s]``."""
    tile = np.arange(34)
    for suit in range(3):
        tile[9 * suit : 9 * suit + 9] = 9 * order[suit] + np.arange(9)
    counts = np.empty_like(batch.counts)
    counts[:, tile] = batch.counts
    code = np.zeros(256, np.uint8)
    for kind in range(4):
        code[1 + 34 * kind + np.arange(34)] = 1 + 34 * kind + tile
    return HandBatch.from_columns(
        counts, code[batch.melds], tile[batch.win_tile].astype(np.uint8), *batch.columns[3:]
    )


def names_a_suit(batch: HandBatch) -> np.ndarray:
    """Rows that are, in some naming of the suits, all green or all reversible."""
    present = batch.counts > 0
    for row, codes in enumerate(batch.melds.tolist()):
        for code in codes:
            if code:
                kind, tile = divmod(code - 1, 34)
                present[row, tile : tile + (3 if kind == 0 else 1)] = True
    found = np.zeros(len(batch), bool)
    green, reversible = "23468s F", "1234589p 245689s P"
    for allowed in (green, reversible):
        suits = {name: np.zeros(9, bool) for name in "mps"}
        honors = np.zeros(7, bool)
        for part in allowed.split():
            if part in "ESWNCFP":
                honors["ESWNCFP".index(part)] = True
            else:
                for rank in part[:-1]:
                    suits[part[-1]][int(rank) - 1] = True
        for order in itertools.permutations("mps"):
            mask = np.concatenate([*(suits[name] for name in order), honors])
            found |= ~(present & ~mask).any(axis=1)
    return found


@profiles
def test_suits_can_be_renamed(rules):
    batch = random_wins(6000, seed=5)
    free = ~names_a_suit(batch)
    assert 0.8 < free.mean() < 1
    scores = score_batch(batch, rules=rules, fan_counts=True)
    for order in itertools.permutations(range(3)):
        other = score_batch(permuted_suits(batch, order), rules=rules, fan_counts=True)
        for column in COLUMNS:
            mine, theirs = getattr(scores, column)[free], getattr(other, column)[free]
            assert np.array_equal(mine, theirs), (order, column)


def test_only_two_fans_name_a_suit():
    batch = random_wins(6000, seed=6)
    scores = score_batch(batch, fan_counts=True)
    for order in ((1, 2, 0), (0, 2, 1)):
        other = score_batch(permuted_suits(batch, order), fan_counts=True)
        changed = scores.fan_counts.astype(int) != other.fan_counts
        differing = changed.any(axis=1)
        assert differing.any()
        named = changed[:, FANS["绿一色"].id] | changed[:, FANS["推不倒"].id]
        assert named[differing].all()


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.permutations(range(4)))
def test_the_order_of_melds_does_not_matter(seed, order):
    batch = random_wins(50, seed=seed)
    other = HandBatch.from_columns(
        batch.counts, np.ascontiguousarray(batch.melds[:, order]), *batch.columns[2:]
    )
    assert_same(score_batch(batch, fan_counts=True), score_batch(other, fan_counts=True))
    for index in range(0, 50, 10):
        hand = batch[index]
        turned = hand.replace(melds=tuple(reversed(hand.melds)))
        assert score_hand(hand).counts == score_hand(turned).counts
        assert explain(hand).base == explain(turned).base


@settings(deadline=None, max_examples=50)
@given(SEEDS, st.integers(0, 8))
def test_flowers_only_add_their_points(seed, flowers):
    for hand in random_wins(5, seed=seed):
        with_flowers = score_hand(hand, flowers=flowers)
        bare = score_hand(hand, flowers=0)
        assert with_flowers.base == bare.base == bare.total
        assert with_flowers.total == bare.total + flowers
        assert with_flowers.flowers == flowers
        assert with_flowers.wins == bare.wins
        assert with_flowers.fans == bare.fans | ({"花牌": flowers} if flowers else {})


# --- one hand and many


@profiles
def test_single_scores_are_those_of_the_batch(rules):
    batch = random_wins(600, seed=8)
    scores = score_batch(batch, rules=rules, fan_counts=True)
    for index, hand in enumerate(batch):
        single = score_hand(hand, rules=rules)
        assert single.total == scores.total[index]
        assert single.base == scores.base[index]
        assert single.wins == scores.wins[index]
        assert single.status == scores.status[index]
        counts = scores.fan_counts[index]
        assert single.counts == {int(fan): int(counts[fan]) for fan in np.flatnonzero(counts)}
        assert tuple(single.fans) == scores.fan_names(index) == scores.fan_names(index, "zh")
        assert tuple(single.fans_en) == scores.fan_names(index, language="en")
        assert sum(single.points.values()) == single.total
        assert list(single.points) == list(single.fans)
        assert scores[index] == single
        assert score_hand(str(hand), rules=rules) == single


def test_incomplete_hands_single_and_batch():
    batch = random_wins(300, seed=9, circumstances=False)
    columns = [column.copy() for column in batch.columns]
    for row in range(300):  # one tile becomes another one
        held = np.flatnonzero(columns[0][row])
        columns[0][row, held[row % len(held)]] -= 1
        columns[0][row, np.flatnonzero(columns[0][row] == 0)[row % 20]] += 1
        columns[2][row] = np.flatnonzero(columns[0][row])[0]
    broken = HandBatch.from_columns(*columns)
    scores = score_batch(broken, fan_counts=True)
    assert 0.5 < (scores.status == Status.NOT_COMPLETE).mean() < 1
    for index in np.flatnonzero(scores.status <= Status.NOT_COMPLETE):
        single = score_hand(broken[index])
        assert single.status == scores.status[index]
        assert single.total == scores.total[index]
        assert tuple(single.fans) == scores.fan_names(index)


def test_circumstances_given_to_score_hand_are_those_of_the_hand():
    for hand in random_wins(100, seed=10):
        plain = Hand(hand.concealed, hand.win_tile, hand.melds)
        given_later = {
            name: getattr(hand, name)
            for name in (
                "self_drawn", "last_of_kind", "last_tile", "kong", "seat_wind", "prevalent_wind",
                "flowers",
            )
        }  # fmt: skip
        assert score_hand(plain, **given_later) == score_hand(hand)


@pytest.mark.parametrize(
    "which",
    [slice(5, 30), slice(None, None, -3), [3, 1, 1], np.arange(60) % 3 == 0, np.array([], int)],
)
def test_parts_of_scores_are_scores_of_parts(which):
    batch = random_wins(60, seed=12)
    scores = score_batch(batch, rules=WMO2006, fan_counts=True)
    part = scores[which]
    assert part.batch == batch[which]
    assert part.rules is WMO2006
    assert len(part) == len(batch[which])
    assert_same(part, score_batch(batch[which], rules=WMO2006, fan_counts=True))
    assert [score.total for score in part] == part.total.tolist()
    assert score_batch(batch)[which].fan_counts is None


@pytest.mark.parametrize("which", [np.array(3), np.array(-1), (0, 2)], ids=str)
def test_scores_take_the_same_indices_as_batches(which):
    batch = random_wins(10, seed=12)
    part = score_batch(batch)[which]
    if isinstance(which, tuple):
        assert part.total.tolist() == score_batch(batch[which]).total.tolist()
    else:
        assert part == score_hand(batch[which])


@pytest.mark.parametrize("index", [1.0, "0", None, [0.5], 10, -11, [10]])
def test_other_indices_of_scores_are_refused(index):
    with pytest.raises((IndexError, TypeError)):
        _ = score_batch(random_wins(10, seed=12))[index]


def test_fan_counts_are_made_on_request_only():
    batch = random_wins(60, seed=13)
    plain, counted = score_batch(batch), score_batch(batch, fan_counts=True)
    assert plain.fan_counts is None
    assert_same(plain, counted)


def test_types_of_the_columns():
    scores = score_batch(random_wins(7, seed=1), fan_counts=True)
    types = {name: (getattr(scores, name).dtype, getattr(scores, name).shape) for name in COLUMNS}
    assert types == {
        "total": (np.int16, (7,)),
        "base": (np.int16, (7,)),
        "fan_mask": (np.int64, (7, 2)),
        "fan_counts": (np.uint8, (7, 82)),
        "wins": (np.bool_, (7,)),
        "status": (np.uint8, (7,)),
    }


@profiles
def test_masks_counts_and_totals_agree(rules, corpus):
    scores = score_batch(corpus, rules=rules, fan_counts=True)
    assert not scores.status.any()
    fans = np.arange(82)
    bits = scores.fan_mask[:, fans // 48] >> fans % 48 & 1
    assert np.array_equal(bits, scores.fan_counts > 0)
    assert not (scores.fan_mask >> 48).any()
    assert (scores.fan_mask >= 0).all()
    once = [fan.id for fan in FANS if not fan.repeats]
    assert scores.fan_counts[:, once].max() == 1
    points = scores.fan_counts @ np.array([rules.points(fan.id) for fan in FANS])
    assert np.array_equal(points, scores.total)
    flowers = rules.points("花牌") * corpus.flowers.astype(int)
    assert np.array_equal(scores.fan_counts[:, 80], corpus.flowers)
    assert np.array_equal(scores.total - flowers, scores.base)
    assert np.array_equal(scores.wins, scores.base >= rules.min_fan)
    # A mask can go through a float or a JSON number.
    assert np.array_equal(scores.fan_mask.astype(np.float64).astype(np.int64), scores.fan_mask)
    chicken = scores.fan_counts[:, FANS["无番和"].id] > 0
    assert chicken.any()
    alone = scores.fan_counts[chicken].astype(int)
    alone[:, [FANS["无番和"].id, FANS["花牌"].id]] = 0
    assert not alone.any()


def test_no_fan_counts_beside_one_that_implies_it(corpus):
    for rules in PROFILES.values():
        counts = score_batch(corpus, rules=rules, fan_counts=True).fan_counts > 0
        for fan in FANS:
            implied = sorted(rules.implies[fan.id])
            assert not counts[counts[:, fan.id]][:, implied].any(), fan


# --- the best reading


@profiles
@pytest.mark.parametrize("form", WIN_FORMS)
def test_the_score_is_the_highest_of_all_readings(rules, form):
    batch = random_wins(120, seed=14, forms=form)
    scores = score_batch(batch, rules=rules)
    several = 0
    for hand, base in zip(batch, scores.base.tolist(), strict=True):
        explanation = explain(hand, rules)
        readings = [explanation.chosen, *explanation.lower]
        assert len(readings) == len(list_readings(hand))
        points = [
            sum(item.points for item in reading.counted if item.fan.zh != "无番和")
            for reading in readings
        ]
        assert all(base >= value for value in points)
        assert base == (max(points) or rules.points("无番和"))
        several += len(readings) > 1
    if form in ("regular", "one_suit"):
        assert several > 9


# --- threads, chunks, neighbours


@pytest.mark.parametrize("count", [1, 2, 5])
def test_threads_and_chunk_boundaries(corpus, count):
    expected = score_batch(corpus, threads=1, fan_counts=True)
    chunk = threads.CHUNK
    for length in (0, 1, 2, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1):
        part = corpus[:length]
        scores = score_batch(part, threads=count, fan_counts=True)
        assert_same(expected, scores, slice(length))
        late = corpus[len(corpus) - length :]
        assert_same(
            expected,
            score_batch(late, threads=count, fan_counts=True),
            slice(len(corpus) - length, None),
        )
        assert random_wins(length, seed=77, threads=count) == part
        assert not validate(part, threads=count).any()


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_any_size_of_chunks(monkeypatch, corpus, chunk):
    batch = corpus[:200]
    expected = score_batch(batch, threads=1, fan_counts=True)
    monkeypatch.setattr(threads, "CHUNK", chunk)
    for count in (1, 3):
        assert_same(expected, score_batch(batch, threads=count, fan_counts=True))
        assert random_wins(200, seed=77, threads=count) == batch


def test_run_chunks_covers_every_row_once(monkeypatch):
    monkeypatch.setattr(threads, "CHUNK", 10)
    monkeypatch.setattr(threads, "LONGEST", 10)
    for length in (0, 1, 9, 10, 11, 99, 100, 101):
        for count in (1, 2, 5, None):
            seen = np.zeros(length, int)

            def work(start, stop, seen=seen):
                assert 0 < stop - start <= 10
                seen[start:stop] += 1

            threads.run_chunks(work, length, count)
            assert (seen == 1).all()


def test_errors_in_a_thread_come_out():
    def work(start, stop):
        raise ZeroDivisionError

    for count in (1, 4):
        with pytest.raises(ZeroDivisionError):
            threads.run_chunks(work, 3 * threads.CHUNK, count)


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2", float("nan")])
def test_bad_numbers_of_threads(count):
    for call in (
        lambda: score_batch(random_wins(3, seed=1), threads=count),
        lambda: random_wins(3, seed=1, threads=count),
    ):
        with pytest.raises(ValueError, match=r"threads|NaN"):
            call()


def test_neighbours_do_not_matter(corpus):
    batch = corpus[:3000]
    expected = score_batch(batch, threads=1, fan_counts=True)
    order = np.random.default_rng(3).permutation(len(batch))
    assert_same(expected, score_batch(batch[order], threads=1, fan_counts=True), order)
    for row in (0, 1, 1500, 2999):
        alone = score_batch(batch[row : row + 1], threads=1, fan_counts=True)
        assert_same(expected, alone, slice(row, row + 1))
        many = score_batch(batch[np.full(100, row)], threads=1, fan_counts=True)
        assert_same(expected, many, np.full(100, row))


def test_scoring_twice_gives_the_same(corpus):
    batch = corpus[:5000]
    assert_same(
        score_batch(batch, rules=HOUSE, fan_counts=True),
        score_batch(batch, rules=HOUSE, fan_counts=True),
    )


def test_several_python_threads_at_once(corpus):
    batch = corpus[: threads.CHUNK + 500]
    hands = list(batch[:40])
    expected = {
        rules.name: score_batch(batch, rules=rules, threads=1) for rules in PROFILES.values()
    }
    singles = {rules.name: [score_hand(h, rules=rules).total for h in hands]
               for rules in PROFILES.values()}  # fmt: skip

    def work(number: int) -> bool:
        rules = list(PROFILES.values())[number % 3]
        scores = score_batch(batch, rules=rules, threads=1 + number % 2)
        assert np.array_equal(scores.total, expected[rules.name].total)
        assert np.array_equal(scores.fan_mask, expected[rules.name].fan_mask)
        assert [score_hand(h, rules=rules).total for h in hands] == singles[rules.name]
        assert random_wins(500, seed=77) == batch[:500]
        assert not validate(batch).any()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(24)))


FIRST_USE = """
import sys, threading
import numpy as np
import fastmj
barrier = threading.Barrier(6)
results = [None] * 6
def work(number):
    barrier.wait()
    batch = fastmj.HandBatch.from_hands(["123456789m12355p", "11223344556677s|EE1000|2"])
    rules = (fastmj.GB98, fastmj.WMO2006)[number % 2]
    if number < 3:
        results[number] = fastmj.score_batch(batch, rules=rules).total.tolist()
    else:
        results[number] = [fastmj.score_hand(hand, rules=rules).total for hand in batch]
workers = [threading.Thread(target=work, args=(n,)) for n in range(6)]
[w.start() for w in workers]
[w.join() for w in workers]
print(results)
"""


def in_a_fresh_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_several_python_threads_at_the_very_first_use():
    results = ast.literal_eval(in_a_fresh_process(FIRST_USE))
    hands = ["123456789m12355p", "11223344556677s|EE1000|2"]
    for number, found in enumerate(results):
        rules = (GB98, WMO2006)[number % 2]
        assert found == [score_hand(hand, rules=rules).total for hand in hands]


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_processes(corpus, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    parts = [corpus[:300], corpus[300 : 300 + threads.CHUNK + 5]]
    # The parent has used threads before it forks.
    expected = [score_batch(part, threads=2, fan_counts=True) for part in parts]
    with multiprocessing.get_context(method).Pool(2) as pool:
        waiting = [
            pool.apply_async(score_batch, (part,), {"threads": 2, "fan_counts": True})
            for part in parts
        ]
        singles = pool.map_async(score_hand, list(corpus[:20]))
        for one, other in zip(waiting, expected, strict=True):
            found = one.get(timeout=120)
            assert_same(found, other)
            assert found.batch == other.batch
        assert singles.get(timeout=120) == [score_hand(hand) for hand in corpus[:20]]


# --- one compiled version for everything

SIGNATURES = """
import itertools, os, random, tempfile
import numpy as np
import fastmj
from fastmj import GB98, WMO2006, HandBatch, random_wins, score_batch, score_hand, validate
from fastmj.kernels.scoring.batch import score_packed, score_rows
from fastmj.kernels.scoring.problems import problem_rows
from fastmj.kernels.samples.wins import random_win_rows
from fastmj.rules import OPTIONS

batch = random_wins(50, seed=1)
names = ("counts", "melds", "win_tile", "seat_wind", "prevalent_wind", "flowers")
given = {name: getattr(batch, name).copy() for name in names}
def made(change):
    columns = {name: change(column) for name, column in given.items()}
    return HandBatch(columns.pop("counts"), **columns)
def frozen(column):
    column = column.copy()
    column.flags.writeable = False
    return column
def mapped(mode):
    def change(column):
        file = tempfile.NamedTemporaryFile(suffix=".npy", delete=False)
        np.save(file, column)
        file.close()
        return np.load(file.name, mmap_mode=mode)
    return change
inputs = [batch, batch[::2], batch[[1, 2]], batch[:0], HandBatch.concat([batch, batch]),
          HandBatch.from_hands(list(batch)), HandBatch.from_columns(*given.values(), 0)]
inputs += [made(change) for change in (
    np.copy, frozen, mapped("r"), mapped("c"), mapped("r+"), np.asfortranarray,
    lambda column: column.astype(np.int64), lambda column: column.tolist(),
    lambda column: np.repeat(column, 2, axis=0)[::2],
)]
inputs += [HandBatch(given["counts"], win_tile=3, self_drawn=True, kong=np.zeros(50, bool))]
rng = random.Random(1)
profiles = [GB98, WMO2006]
profiles += [base.replace(**{option: not getattr(base, option)})
             for base in (GB98, WMO2006) for option in OPTIONS]
profiles += [GB98.replace(**{option: rng.random() < 0.5 for option in OPTIONS}) for _ in range(20)]
profiles += [GB98.replace(values={"自摸": 0}), WMO2006.replace(min_fan=0)]
for rules in profiles:
    score_batch(batch, rules=rules, fan_counts=rng.random() < 0.5, threads=rng.choice([1, 2]))
    score_hand(batch[0], rules=rules)
for one in inputs:
    for fan_counts in (False, True):
        score_batch(one, fan_counts=fan_counts)
    validate(one)
    for index in range(min(3, len(one))):
        try:
            score_hand(one[index])
            score_hand(one[index])
        except fastmj.InvalidHand:
            pass
for form in (None, "one_suit", ["regular", "seven_pairs"]):
    for melds in (None, 0, np.int64(0)):
        for circumstances in (True, False):
            random_wins(np.int64(5), seed=np.uint8(3), forms=form, melds=melds,
                        circumstances=circumstances)
print({kernel.__name__: len(kernel.signatures)
       for kernel in (score_rows, score_packed, problem_rows, random_win_rows)})
"""


def test_each_kernel_is_compiled_once():
    """Whatever the rules, and however the input lies in memory."""
    assert ast.literal_eval(in_a_fresh_process(SIGNATURES)) == {
        "score_rows": 1,
        "score_packed": 1,
        "problem_rows": 1,
        "random_win_rows": 1,
    }


PICKLED = """
import pickle
from fastmj import random_wins, score_batch, score_hand
from fastmj.kernels.scoring.batch import score_packed, score_rows
batch = random_wins(5, seed=1)
hand = batch[0]
score_batch(batch), score_hand(hand)
score_batch(pickle.loads(pickle.dumps(batch))), score_hand(pickle.loads(pickle.dumps(hand)))
print(len(score_rows.signatures), len(score_packed.signatures))
"""


def test_each_kernel_is_compiled_once_for_pickled_hands():
    assert in_a_fresh_process(PICKLED).split() == ["1", "1"]


# --- random hands


def digest_of(batch: HandBatch) -> str:
    state = hashlib.sha256()
    for column in batch.columns:
        state.update(np.ascontiguousarray(column).tobytes())
    return state.hexdigest()


def test_the_same_hands_on_every_machine():
    assert digest_of(random_wins(10_000, seed=0)) == (
        "841f09439135388de59d9bc8f027b660b90b4da717d9582f7996c511ab9eb31f"
    )


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(0, 300), st.integers(0, 300))
def test_a_longer_batch_begins_with_a_shorter_one(seed, length, more):
    long = random_wins(length + more, seed=seed)
    assert random_wins(length, seed=seed) == long[:length]
    assert random_wins(length + more, seed=seed, threads=1) == long


def test_other_seeds_give_other_hands():
    seeds = [0, 1, 2, 2**31, 2**32, 2**62, 2**63 - 1]
    digests = {digest_of(random_wins(50, seed=seed)) for seed in seeds}
    assert len(digests) == len(seeds)
    # Streams of neighbouring seeds are not shifted copies of each other.
    one = set(random_wins(300, seed=1))
    assert len(one & set(random_wins(300, seed=2))) < 3
    assert len(one) > 290


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_numbers_of_other_types(kind):
    assert random_wins(kind(20), seed=kind(7)) == random_wins(20, seed=7)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": -1}, "n must be"),
        ({"n": 1.5}, "n must be"),
        ({"n": True}, "n must be"),
        ({"n": "5"}, "n must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**63}, "seed must be"),
        ({"seed": 0.5}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"forms": "pairs"}, "forms must be some of"),
        ({"forms": ["regular", "x"]}, "forms must be some of"),
        ({"forms": []}, "forms must be some of"),
        ({"forms": ""}, "forms must be some of"),
        ({"melds": 5}, "melds must be"),
        ({"melds": -1}, "melds must be"),
        ({"melds": 1.5}, "melds must be"),
        ({"melds": True}, "melds must be"),
        ({"forms": "seven_pairs", "melds": 1}, "no form out of seven_pairs can have 1 melds"),
        ({"forms": ["knitted_straight"], "melds": 2}, "no form"),
    ],
)
def test_bad_arguments_of_random_wins(changes, message):
    arguments = {"n": 5, "seed": 1, **changes}
    with pytest.raises(ValueError, match=message):
        random_wins(arguments.pop("n"), **arguments)


def test_without_a_seed_every_call_makes_others():
    assert random_wins(50) != random_wins(50)


def test_random_wins_are_complete_and_valid():
    batch = random_wins(150_000, seed=21)
    assert not validate(batch).any()
    scores = score_batch(batch)
    assert not scores.status.any()
    assert (scores.base > 0).all()


@pytest.mark.parametrize("rules", [GB98, WMO2006], ids=lambda rules: rules.name)
def test_all_82_fans_occur(rules):
    mask = np.bitwise_or.reduce(score_batch(random_wins(60_000, seed=3), rules=rules).fan_mask)
    assert [fan.zh for fan in FANS if not mask[fan.id // 48] >> fan.id % 48 & 1] == []


REFERENCE_FORMS = {
    "regular": {"regular"},
    "one_suit": {"regular"},
    "seven_pairs": {"seven_pairs"},
    "thirteen_orphans": {"thirteen_orphans"},
    "honors_knitted": {"honors_knitted"},
    "knitted_straight": {"knitted_straight"},
}


@pytest.mark.parametrize("form", WIN_FORMS)
def test_each_form_on_request(form):
    batch, forms = random_wins_with_forms(150, 4, form)
    assert set(forms.tolist()) == {list(WIN_FORMS).index(form)}
    for hand in batch:
        found = {reading.form.value for reading in list_readings(hand)}
        assert REFERENCE_FORMS[form] <= found, hand
        if form == "one_suit":
            tiles = {*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles)}
            assert len({tile // 9 for tile in tiles}) == 1
            assert max(tiles) < 27
    assert random_wins(150, seed=4, forms=[form]) == batch


def test_forms_occur_as_documented():
    length = 40_000
    _, forms = random_wins_with_forms(length, 5)
    assert sum(WIN_FORMS.values()) == 100
    for position, (name, weight) in enumerate(WIN_FORMS.items()):
        share = 100 * np.mean(forms == position)
        assert abs(share - weight) < 5 * np.sqrt(weight * (100 - weight) / length), name
    some = ["seven_pairs", "regular"]
    _, forms = random_wins_with_forms(length, 5, some)
    assert set(forms.tolist()) == {0, 2}
    assert abs(np.mean(forms == 0) - 70 / 76) < 0.01


def test_numbers_of_melds():
    for melds in range(5):
        batch, forms = random_wins_with_forms(3000, 6, melds=melds)
        assert ((batch.melds > 0).sum(axis=1) == melds).all()
        names = {list(WIN_FORMS)[form] for form in set(forms.tolist())}
        assert names == {
            0: set(WIN_FORMS),
            1: {"regular", "one_suit", "knitted_straight"},
        }.get(melds, {"regular", "one_suit"})
    free = (random_wins(20_000, seed=6, forms="regular").melds > 0).sum(axis=1)
    shares = np.bincount(free, minlength=5) / len(free)
    assert np.abs(shares - 0.2).max() < 0.02


def test_circumstances_on_request():
    plain = random_wins(5000, seed=7, circumstances=False)
    for name in ("circumstances", "seat_wind", "prevalent_wind", "flowers"):
        assert not getattr(plain, name).any()
    batch = random_wins(300_000, seed=7)
    assert np.array_equal(batch.counts[:5000], plain.counts)
    assert np.array_equal(batch.win_tile[:5000], plain.win_tile)
    assert set(batch.seat_wind.tolist()) == set(batch.prevalent_wind.tolist()) == {0, 1, 2, 3}
    assert set(batch.flowers.tolist()) == set(range(9))
    assert abs(np.mean(batch.circumstances & 1) - 0.5) < 0.02
    # Self-drawn or not, with the last tile, the last of its kind, a kong, and combinations.
    assert set(batch.circumstances.tolist()) == set(range(16)) - {12, 14}


# --- rules as values


def test_profiles_are_values():
    again = Rules(
        name="WMO2006",
        values={"双暗杠": 8, "明暗杠": 6},
        fully_concealed_forms=True,
        nine_gates_pungs=False,
        green_half_flush=True,
        hog_in_special_pairs=False,
        terminals_double_pung=True,
        kongs_take_concealed=True,
        knitted_waits=False,
    )
    assert again == WMO2006
    assert hash(again) == hash(WMO2006)
    assert {again: 1}[WMO2006] == 1
    assert Rules(name="GB98") == GB98 != WMO2006
    assert pickle.loads(pickle.dumps(HOUSE)) == HOUSE
    with pytest.raises(AttributeError):
        GB98.min_fan = 6


def test_any_name_of_a_fan_will_do():
    expected = GB98.replace(values={"双暗杠": 8})
    for name in ("Two Concealed Kongs", "two_concealed_kongs", 52, FANS["双暗杠"].key):
        assert GB98.replace(values={name: 8}) == expected
        assert Rules(name="GB98", values={name: 8}) == expected
        assert hash(GB98.replace(values={name: 8})) == hash(expected)
    assert expected.points("双暗杠") == expected.points(52) == 8
    assert GB98.points("双暗杠") == 6
    assert expected.replace(values={"双暗杠": 6}) == GB98


def test_replace_keeps_the_rest():
    house = WMO2006.replace(values={"和绝张": 8}, min_fan=6)
    assert (house.points("和绝张"), house.points("双暗杠"), house.min_fan) == (8, 8, 6)
    assert all(getattr(house, option) == getattr(WMO2006, option) for option in OPTIONS)
    assert house.name == "WMO2006"
    assert WMO2006.points("和绝张") == 4
    assert WMO2006.replace() == WMO2006


@pytest.mark.parametrize("option", OPTIONS)
def test_options_differ_and_hash(option):
    changed = GB98.replace(**{option: not getattr(GB98, option)})
    assert changed != GB98
    assert changed.digest != GB98.digest
    assert changed.replace(**{option: getattr(GB98, option)}) == GB98
    for wrong in (1, 0, None, "yes", np.bool_(True)):
        with pytest.raises(TypeError, match=option):
            GB98.replace(**{option: wrong})


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"min_fans": 6}, TypeError, "no such option: min_fans; there are"),
        ({"values": {"自摸": -1}}, ValueError, "自摸.*0-1000"),
        ({"values": {"自摸": 1001}}, ValueError, "自摸.*0-1000"),
        ({"values": {"自摸": 1.5}}, ValueError, "自摸.*whole number"),
        ({"min_fan": -1}, ValueError, "min_fan"),
        ({"min_fan": 8.5}, ValueError, "min_fan"),
        ({"min_fan": "8"}, ValueError, "min_fan"),
        ({"min_fan": 5000}, ValueError, "min_fan"),
    ],
)
def test_bad_changes_of_rules(changes, error, message):
    with pytest.raises(error, match=message):
        GB98.replace(**changes)


@pytest.mark.parametrize("name", ["自模", "no such fan", 82, None, 1.5])
def test_unknown_fans_in_new_rules(name):
    with pytest.raises(ValueError, match="no fan is called"):
        Rules(values={name: 5})


@pytest.mark.parametrize("name", ["自模", "no such fan", 82, None, 1.5])
def test_unknown_fans_in_changed_rules(name):
    with pytest.raises(ValueError, match="no fan is called"):
        GB98.replace(values={name: 5})


def test_negative_numbers_of_fans():
    with pytest.raises(ValueError, match="no fan is called"):
        Rules(values={-1: 7})


def test_values_of_a_profile_cannot_be_changed():
    house = GB98.replace(values={"自摸": 2})
    with pytest.raises(TypeError):
        house.values[79] = 5


def test_the_callers_values_are_not_kept():
    values = {"自摸": 2}
    house = GB98.replace(values=values)
    values["自摸"] = 3
    assert house.points("自摸") == 2


def test_profiles_with_the_same_content_are_compiled_once():
    from fastmj.tables.scoring.profile import compile_rules

    one = GB98.replace(values={"自摸": 3}, min_fan=7)
    other = GB98.replace(min_fan=7).replace(values={"Self-Drawn": 3})
    assert one == other
    assert compile_rules(one) is compile_rules(other)


@pytest.mark.parametrize("rules", [None, 8, Rules])
def test_only_profiles_are_rules(rules):
    with pytest.raises(TypeError, match="rules must be a profile"):
        score_hand("123456789m12355p", rules=rules)
    with pytest.raises(TypeError, match="rules must be a profile"):
        score_batch(random_wins(2, seed=1), rules=rules)


def test_the_largest_values_do_not_overflow():
    most = GB98.replace(values={fan.id: 1000 for fan in FANS})
    batch = random_wins(3000, seed=15)
    scores = score_batch(batch, rules=most, fan_counts=True)
    totals = 1000 * scores.fan_counts.astype(int).sum(axis=1)
    assert np.array_equal(scores.total, totals)
    assert totals.max() > 15_000
    for index in range(60):
        assert explain(batch[index], most).total == scores.total[index]


def test_nothing_is_worth_anything():
    none = GB98.replace(values={fan.id: 0 for fan in FANS}, min_fan=0)
    batch = random_wins(300, seed=16)
    scores = score_batch(batch, rules=none)
    assert not scores.total.any()
    assert scores.wins.all()
    for index in range(60):
        assert explain(batch[index], none).total == 0


def test_the_minimum_decides_who_wins():
    batch = random_wins(3000, seed=17)
    base = score_batch(batch).base
    for minimum in (0, 1, 7, 8, 9, 88, 1000):
        scores = score_batch(batch, rules=GB98.replace(min_fan=minimum))
        assert np.array_equal(scores.base, base)
        assert np.array_equal(scores.wins, base >= minimum)


# --- who pays


def test_settling_by_the_words_of_the_rule():
    assert settle(10, 0).tolist() == [54, -18, -18, -18]
    assert settle(10, 0, 2).tolist() == [34, -8, -18, -8]
    assert settle(8, 3, 0).tolist() == [-16, -8, -8, 32]
    assert settle(0, 1).tolist() == [-8, 24, -8, -8]
    assert settle(88, 1, 3).tolist() == [-8, 112, -8, -96]


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.integers(0, 3), st.integers(-1, 3)).filter(
            lambda row: row[1] != row[2]
        ),
        max_size=6,
    )
)
def test_settling_many(rows):
    totals, winners, discarders = ([row[place] for row in rows] for place in range(3))
    found = settle(totals, winners, discarders)
    assert found.shape == (len(rows), 4)
    assert found.dtype == np.int64
    assert not found.sum(axis=1).any()
    for row, (total, winner, discarder) in zip(found.tolist(), rows, strict=True):
        for player in range(4):
            if player == winner:
                paid = 24 + total * (3 if discarder < 0 else 1)
            else:
                paid = -8 - (total if discarder in (-1, player) else 0)
            assert row[player] == paid
        assert settle(total, winner, None if discarder < 0 else discarder).tolist() == row


def test_settling_broadcasts():
    assert settle([8, 10], 0).tolist() == [settle(8, 0).tolist(), settle(10, 0).tolist()]
    assert settle(8, [0, 1, 2], 3).shape == (3, 4)
    assert settle(8, 0, [1, 2, 3, -1])[3].tolist() == settle(8, 0).tolist()
    assert settle(np.int16(8), np.uint8(0), np.int8(-1)).tolist() == settle(8, 0).tolist()


def test_settling_a_scored_batch():
    batch = random_wins(2000, seed=18)
    scores = score_batch(batch)
    self_drawn = (batch.circumstances & 1).astype(bool)
    discarder = np.where(self_drawn, -1, 1)
    moved = settle(scores.total, np.zeros(len(batch), np.uint8), discarder)
    assert not moved.sum(axis=1).any()
    assert np.array_equal(moved[:, 0], 24 + scores.total.astype(int) * np.where(self_drawn, 3, 1))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((8.5, 0), TypeError, "total must hold whole numbers"),
        ((8.0, 0), TypeError, "total must hold whole numbers"),
        ((float("nan"), 0), TypeError, "total"),
        ((None, 0), TypeError, "total"),
        (("8", 0), TypeError, "total"),
        ((8, 0.0), TypeError, "winner"),
        ((8, True), TypeError, "winner"),
        ((8, None), TypeError, "winner"),
        ((8, 0, 1.0), TypeError, "discarder"),
        (([8, 8], [0, 1], [None, 2]), TypeError, "discarder"),
        ((-1, 0), ValueError, "negative"),
        (([8, -1], 0), ValueError, "negative"),
        ((8, 4), ValueError, "winner must be 0-3"),
        ((8, -1), ValueError, "winner must be 0-3"),
        ((8, 0, 4), ValueError, "discarder must be 0-3"),
        ((8, 0, -2), ValueError, "discarder must be 0-3"),
        ((8, 0, 0), ValueError, "the winner cannot be the discarder"),
        ((8, [0, 1], [1, 1]), ValueError, "the winner cannot be the discarder"),
        (([8, 9], [0, 1, 2]), ValueError, "shapes do not fit"),
        (([[8]], 0), ValueError, "one number a hand"),
    ],
)
def test_bad_settlements(arguments, error, message):
    with pytest.raises(error, match=message):
        settle(*arguments)


def test_settling_as_much_as_there_is_room_for():
    most = 2**63 - 1
    assert settle(most - 24, 0, 1).tolist() == [most, -(most - 16), -8, -8]
    limit = (most - 24) // 3
    assert settle(limit, 2).tolist() == [-limit - 8, -limit - 8, 3 * limit + 24, -limit - 8]
    assert settle([8, most - 24], [0, 1], [-1, 2])[1, 1] == most


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2**63 - 24, 0, 1), "9,223,372,036,854,775,784 is too large: with over 9,223,372,036,854"),
        (((2**63 - 1 - 24) // 3 + 1, 0), "is too large: with over 3,074,457,345,618,258,594 the"),
        (([8, 2**62], [0, 1], [1, -1]), "a total of 4,611,686,018,427,387,904 is too large"),
        ((2**63, 0), "total 9,223,372,036,854,775,808 is more than an int64 holds"),
        ((2**70, 0), "total 1,180,591,620,717,411,303,424 is more than an int64 holds"),
        ((np.uint64(2**64 - 1), 0), "total 18,446,744,073,709,551,615 is more than"),
        (([8, -(2**70)], 0), "total -1,180,591,620,717,411,303,424 is more than an int64 holds"),
        ((8, 2**64), "winner 18,446,744,073,709,551,616 is more than an int64 holds"),
    ],
)
def test_settling_more_than_there_is_room_for(arguments, message):
    with pytest.raises(ValueError, match=message):
        settle(*arguments)


def test_false_wins_by_both_customs():
    assert settle_false_win(1).tolist() == [10, -30, 10, 10]
    assert settle_false_win(3, penalty=40, each=0).tolist() == [0, 0, 0, -40]
    many = settle_false_win([0, 2], penalty=[30, 40], each=[10, 0])
    assert many.tolist() == [[-30, 10, 10, 10], [0, 0, -40, 0]]
    assert many.dtype == np.int64
    assert settle_false_win(np.uint8(0), penalty=2**63 - 1, each=0)[0] == -(2**63 - 1)
    assert settle_false_win([]).shape == (0, 4)


@pytest.mark.parametrize(
    ("player", "options", "error", "message"),
    [
        (4, {}, ValueError, "player must be 0-3"),
        (-1, {}, ValueError, "player must be 0-3"),
        (0, {"penalty": -30}, ValueError, "penalty and each cannot be negative"),
        (0, {"each": -1}, ValueError, "penalty and each cannot be negative"),
        (0, {"penalty": 30.0}, TypeError, "penalty must hold whole numbers, got dtype float64"),
        (0, {"each": None}, TypeError, "each must hold whole numbers"),
        (0, {"each": 2**63}, ValueError, "each 9,223,372,036,854,775,808 is more than an int64"),
        (True, {}, TypeError, "player must hold whole numbers, got dtype bool"),
        ([0, 1], {"penalty": [30] * 3}, ValueError, r"shapes do not fit: player \(2,\), penalty"),
        ([[0]], {}, ValueError, "one number a hand"),
    ],
)
def test_bad_false_wins(player, options, error, message):
    with pytest.raises(error, match=message):
        settle_false_win(player, **options)


def test_standings_are_sums_of_settlements():
    rng = np.random.default_rng(4)
    totals = rng.integers(8, 300, 500)
    winners = rng.integers(0, 4, 500)
    discarders = np.where(rng.random(500) < 0.3, -1, (winners + rng.integers(1, 4, 500)) % 4)
    moved = settle(totals, winners, discarders)
    found = standings(totals, winners, discarders)
    assert found.tolist() == moved.sum(axis=0).tolist()
    assert found.dtype == np.int64
    drawn = rng.random(500) < 0.2
    winners[drawn], totals[drawn] = -1, -7  # what a drawn hand says does not matter
    assert standings(totals, winners, discarders).tolist() == moved[~drawn].sum(axis=0).tolist()
    assert standings([], []).tolist() == [0, 0, 0, 0]
    assert standings(10, 0, 2).tolist() == settle(10, 0, 2).tolist()
    assert standings(10, [0, -1, 0]).tolist() == [108, -36, -36, -36]


def test_standings_of_large_numbers():
    large = (2**63 - 1 - 24) // 3
    # The sum is in range, the way to it is not.
    assert standings([large] * 8, [0, 0, 1, 1, 2, 2, 3, 3]).tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="the sum of player 0, 18,446,744,073,709,551,612, is"):
        standings([large] * 2, [0, 0])
    with pytest.raises(ValueError, match="winner must be 0-3"):
        standings([8, 8], [0, 4])


def test_settling_does_not_change_its_arguments():
    totals, winners = np.array([8, 9]), np.array([0, 1])
    settle(totals, winners)
    assert totals.tolist() == [8, 9]
    assert winners.tolist() == [0, 1]


def test_parsed_and_random_hands_are_the_same_kind_of_thing():
    hand = parse_hand("123456789m12355p")
    assert type(random_wins(1, seed=1)[0]) is type(hand)
