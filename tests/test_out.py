"""Results that are written into, and batches over buffers that are refilled."""

from __future__ import annotations

import pickle
import tracemalloc
from copy import copy

import numpy as np
import pytest

from fastmj import (
    GB98,
    REGIONAL,
    WMO2006,
    HandBatch,
    acceptance_batch,
    discards_batch,
    features,
    random_deals,
    random_wins,
    score_batch,
    shanten_batch,
    waits_batch,
)

PROFILES = (GB98, WMO2006, REGIONAL)


def arrays_of(results) -> dict[str, np.ndarray]:
    names = results.names() if hasattr(results, "names") else results.__slots__
    found = {name: getattr(results, name) for name in names}
    return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}


def incomplete(length: int, seed: int) -> HandBatch:
    return HandBatch(random_deals(length, tiles=14, seed=seed), win_tile=40)


# --- scores


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("fan_counts", [False, True])
def test_scores_are_written_where_they_are_wanted(rules, fan_counts):
    scores = score_batch(incomplete(500, 1), rules=rules, fan_counts=fan_counts)
    before = arrays_of(scores)
    for batch in (random_wins(500, seed=2), incomplete(500, 3), random_wins(500, seed=4)):
        assert score_batch(batch, rules=rules, out=scores) is scores
        assert scores == score_batch(batch, rules=rules, fan_counts=fan_counts)
        assert scores.batch is batch
        assert all(array is before[name] for name, array in arrays_of(scores).items())


def test_scores_of_other_rules_go_into_the_same_arrays():
    batch = random_wins(300, seed=5)
    scores = score_batch(batch)
    assert score_batch(batch, rules=WMO2006, out=scores) == score_batch(batch, rules=WMO2006)
    assert scores.rules is WMO2006
    assert score_batch(batch, rules=REGIONAL, out=scores) == score_batch(batch, rules=REGIONAL)


def test_scores_may_be_a_part_of_others():
    whole = score_batch(random_wins(300, seed=6))
    part = random_wins(100, seed=7)
    score_batch(part, out=whole[100:200])
    assert np.array_equal(whole.total[100:200], score_batch(part).total)
    assert np.array_equal(whole.total[:100], score_batch(whole.batch[:100]).total)


def test_scores_that_do_not_fit():
    batch = random_wins(10, seed=8)
    scores = score_batch(batch)
    with pytest.raises(TypeError, match="a ScoreBatch is wanted, got ndarray"):
        score_batch(batch, out=scores.total)
    with pytest.raises(ValueError, match="out has 9 rows, the batch 10"):
        score_batch(batch, out=scores[:9])
    with pytest.raises(ValueError, match="out has no counts of 82 fans"):
        score_batch(batch, out=scores, fan_counts=True)
    with pytest.raises(ValueError, match="out has no counts of 7 fans"):
        score_batch(batch, rules=REGIONAL, out=score_batch(batch, fan_counts=True))
    with pytest.raises(ValueError, match="read-only or not contiguous"):
        score_batch(batch[:5], out=scores[::2])
    scores.total.flags.writeable = False
    with pytest.raises(ValueError, match="read-only or not contiguous"):
        score_batch(batch, out=scores)


# --- distances

GIVEN = {
    shanten_batch: (13, 14), waits_batch: (13,), acceptance_batch: (13, 14), discards_batch: (14,),
}  # fmt: skip


@pytest.mark.parametrize("function", GIVEN, ids=lambda function: function.__name__)
def test_distances_are_written_where_they_are_wanted(function):
    found = function(random_deals(300, tiles=GIVEN[function][0], seed=1))
    before = arrays_of(found)
    kept = random_wins(300, seed=2)
    ready = kept.counts.copy()
    ready[np.arange(300), kept.win_tile] -= 1
    given = [(random_deals(300, tiles=tiles, seed=3), None) for tiles in GIVEN[function]]
    given += [(ready, kept.melds), (kept.counts, kept.melds), (np.full((300, 34), 5), None)]
    for counts, melds in given:
        assert function(counts, melds=melds, out=found) is found
        assert found == function(counts, melds=melds)
        assert all(array is before[name] for name, array in arrays_of(found).items())


@pytest.mark.parametrize("function", GIVEN, ids=lambda function: function.__name__)
def test_distances_that_do_not_fit(function):
    deals = random_deals(10, tiles=GIVEN[function][0], seed=4)
    found = function(deals)
    with pytest.raises(TypeError, match=f"a {type(found).__name__} is wanted, got tuple"):
        function(deals, out=())
    with pytest.raises(ValueError, match="out has 10 rows, the hands 9"):
        function(deals[:9], out=found)
    for part in (found[:], found[:10], pickle.loads(pickle.dumps(found)), copy(found)):
        assert part == found
        with pytest.raises(ValueError, match="out is a part or a copy"):
            function(deals, out=part)


# --- features


@pytest.mark.parametrize("fan_distances", [False, True])
def test_features_are_written_where_they_are_wanted(fan_distances):
    found = features(random_wins(50, seed=1), fan_distances=fan_distances)
    before = arrays_of(found)
    bad = HandBatch(np.full((50, 34), 5), win_tile=40, flowers=9)
    for batch in (random_wins(50, seed=2), bad, incomplete(50, 3)):
        assert features(batch, out=found) is found
        assert found == features(batch, fan_distances=fan_distances)
        assert all(array is before[name] for name, array in arrays_of(found).items())


def test_features_that_do_not_fit():
    batch = random_wins(10, seed=4)
    found = features(batch)
    with pytest.raises(ValueError, match="out has no fan distances"):
        features(batch, fan_distances=True, out=found)
    with pytest.raises(ValueError, match="out has 10 rows, the hands 9"):
        features(batch[:9], out=found)
    with pytest.raises(ValueError, match="out is a part or a copy"):
        features(batch, out=found[:])
    none = features(batch[:0])
    assert features(batch[:0], out=none) is none


# --- buffers

CALLS = {
    score_batch: random_wins(20_000, seed=1),
    shanten_batch: random_wins(20_000, seed=2),
    waits_batch: random_wins(20_000, seed=2),
    acceptance_batch: random_wins(20_000, seed=2),
    discards_batch: random_wins(20_000, seed=2),
    features: random_wins(20_000, seed=3),
}


@pytest.mark.parametrize("known", [False, True], ids=["deals", "melds"])
@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_nothing_that_grows_is_allocated(function, known):
    """Not even beside melds that are known."""
    batch = CALLS[function]
    whole = function in (score_batch, features)
    given = batch if whole else batch.counts
    named = {"melds": batch.melds} if known and not whole else {}
    found = function(given, **named)
    tracemalloc.start()
    try:
        function(given, **named, out=found, threads=1)
        assert tracemalloc.get_traced_memory()[1] < len(batch)
    finally:
        tracemalloc.stop()


def test_buffers_may_be_refilled():
    """A batch of contiguous bytes looks at the arrays that it was made of."""
    buffers = [column.copy() for column in random_wins(200, seed=9).columns]
    batch = HandBatch.from_columns(*buffers)
    scores = score_batch(batch)
    for seed in range(10, 14):
        new = random_wins(200, seed=seed)
        for buffer, column in zip(buffers, new.columns, strict=True):
            buffer[...] = column
        assert batch == new
        assert np.array_equal(score_batch(batch, out=scores).total, score_batch(new).total)
    assert not any(column.flags.writeable for column in batch.columns)
    assert all(buffer.flags.writeable for buffer in buffers)
