"""Results that are written into, and batches over buffers that are refilled."""

from __future__ import annotations

import numpy as np
import pytest

from fastmj import GB98, REGIONAL, WMO2006, HandBatch, random_deals, random_wins, score_batch

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


# --- buffers


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
