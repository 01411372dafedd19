"""Batches and frames: what pandas, polars, DuckDB and pyarrow take as it is, and give back."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import fastmj
from fastmj import (
    GB98,
    REGIONAL,
    WMO2006,
    Hand,
    HandBatch,
    InvalidHand,
    Meld,
    parse_hand,
    random_wins,
    score_batch,
)
from fastmj.hands.columns import NO_VALUE, bytes_of
from fastmj.rules import DoublingRules, Rules

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def batch() -> HandBatch:
    return random_wins(500, seed=70)


@pytest.fixture(scope="module")
def scores(batch):
    return score_batch(batch, fan_counts=True)


def test_arrow_streams(batch, scores):
    assert pa.table(batch).equals(batch.to_arrow())
    assert pa.table(scores).equals(scores.to_arrow())
    assert HandBatch.from_arrow(batch) == batch


def test_polars(batch, scores):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(batch)
    assert HandBatch.from_arrow(frame) == batch
    assert HandBatch.from_arrow(frame.slice(100, 50)) == batch[100:150]
    assert polars.DataFrame(scores)["total"].to_numpy().tolist() == scores.total.tolist()
    lists = polars.DataFrame({"counts": batch.counts.astype(np.int64).tolist(),
                              "win_tile": batch.win_tile.tolist()})  # fmt: skip
    assert np.array_equal(HandBatch.from_arrow(lists).counts, batch.counts)
    arrays = lists.with_columns(polars.col("counts").cast(polars.Array(polars.Int64, 34)))
    assert np.array_equal(HandBatch.from_arrow(arrays).counts, batch.counts)


def test_pandas(batch, scores):
    pandas = pytest.importorskip("pandas")
    frame = batch.to_arrow().to_pandas()
    assert HandBatch.from_arrow(pa.Table.from_pandas(frame)) == batch
    if hasattr(frame, "__arrow_c_stream__"):
        assert HandBatch.from_arrow(frame) == batch
    if hasattr(pandas.DataFrame, "from_arrow"):
        found = pandas.DataFrame.from_arrow(scores)
        assert found["total"].tolist() == scores.total.tolist()
    lists = pandas.DataFrame({"counts": list(batch.counts.astype(np.int64)),
                              "win_tile": batch.win_tile})  # fmt: skip
    read = HandBatch.from_arrow(pa.Table.from_pandas(lists))
    assert np.array_equal(read.counts, batch.counts)


def test_duckdb(batch, scores):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("hands", pa.table(batch))
    connection.register("scores", pa.table(scores))
    assert connection.sql("select sum(total) from scores").fetchall() == [(scores.total.sum(),)]
    found = connection.sql("select * from hands").to_arrow_table()
    assert HandBatch.from_arrow(found) == batch


# --- numbers and texts in bulk


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u2", "u4", "u8", ">i4", ">u8"])
def test_numbers_become_bytes(kind):
    info = np.iinfo(kind)
    edges = [info.min, -300, -256, -255, -1, 0, 1, 127, 128, 254, 255, 256, 511, info.max]
    numbers = np.array([n for n in edges if info.min <= n <= info.max], kind)
    expected = [n if 0 <= n <= 255 else NO_VALUE for n in numbers.tolist()]
    assert bytes_of(numbers).tolist() == expected
    spread = np.repeat(numbers, 3).reshape(-1, 3)[:, ::2]
    assert bytes_of(spread).tolist() == [[n, n] for n in expected]
    assert numbers.tolist() == [n for n in edges if info.min <= n <= info.max]


def test_texts_in_bulk_are_those_one_by_one(monkeypatch):
    hands = list(random_wins(1500, seed=71))
    texts = [str(hand) for hand in hands]
    assert HandBatch.from_hands(texts) == HandBatch.from_hands(hands)
    assert HandBatch.from_hands(iter(texts)) == HandBatch.from_hands(hands)
    for row, text in ((1203, "11111m123456789p"), (70, "no hand"), (1499, "")):
        bad = [*texts]
        bad[row] = text
        with pytest.raises(InvalidHand) as bulk:
            HandBatch.from_hands(bad)
        with pytest.raises(InvalidHand) as single:
            HandBatch.from_hands([*hands[:row], text])
        assert str(bulk.value) == str(single.value)
        assert str(bulk.value).startswith(f"hand {row}: ")
        assert bulk.value.status == single.value.status

    def missing(*_: object) -> None:
        raise ImportError("numba")

    monkeypatch.setattr("fastmj.hands.batch.columns_of_texts", missing)
    assert HandBatch.from_hands(texts) == HandBatch.from_hands(hands)


# --- values


def test_score_batches_are_equal_by_value(batch, scores):
    again = score_batch(batch, fan_counts=True)
    assert scores == again
    assert scores[:100] == again[:100]
    assert scores != score_batch(batch)
    assert scores != score_batch(batch, rules=WMO2006, fan_counts=True)
    assert scores[:10] != scores[10:20]
    assert scores != "scores"
    again.total[3] += 1
    assert scores != again


PROFILES = (GB98, WMO2006, REGIONAL, GB98.replace(name="h", min_fan=6, values={"双暗杠": 8}))


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.name)
def test_profiles_are_plain_values(rules):
    assert eval(repr(rules), {"Rules": Rules, "DoublingRules": DoublingRules}) == rules
    assert dataclasses.asdict(rules)["values"] == rules.values
    assert dataclasses.asdict(rules)["name"] == rules.name
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert copy.deepcopy(rules) == rules
    assert len({rules, copy.deepcopy(rules)}) == 1
    before = dict(rules.values)
    for change in (
        lambda: rules.values.__setitem__(3, 4),
        lambda: rules.values.update({3: 4}),
        lambda: rules.values.pop(3, None),
        lambda: rules.values.clear(),
        lambda: rules.values.setdefault(3, 4),
        lambda: rules.values.__ior__({3: 4}),
    ):
        with pytest.raises(TypeError, match="does not change"):
            change()
    assert rules.values == before


def test_the_repr_of_a_profile_is_short():
    assert repr(GB98) == "Rules(name='GB98')"
    assert repr(GB98.replace(min_fan=6, values={"双暗杠": 8})) == (
        "Rules(name='GB98', min_fan=6, values={'双暗杠': 8})"
    )


def test_hands_are_read_back_from_their_repr():
    for hand in random_wins(300, seed=72):
        assert eval(repr(hand), {"parse_hand": parse_hand}) == hand
        assert len({hand, parse_hand(str(hand))}) == 1
    assert repr(Hand("123m456p78999s", "9s", [Meld.parse("EEE")])) == (
        "parse_hand('[EEE]123m456p7899s9s')"
    )


def test_texts_are_told_the_way_to_a_batch():
    with pytest.raises(TypeError, match="parse_hands"):
        fastmj.score_batch(["123456789m12355p"])
