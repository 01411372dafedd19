"""Batches and frames: what pandas, polars, DuckDB and pyarrow take as it is, and give back."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from contextlib import suppress

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
from fastmj.records import DecisionBatch, action_text, check, decisions, statistics, wins
from fastmj.records.play import play_game
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


def results(batch):
    """Results of every kind."""
    counts, melds = batch.counts, batch.melds
    ready = counts - np.eye(34, dtype=np.uint8)[batch.win_tile]
    return [
        fastmj.shanten_batch(counts, melds=melds),
        fastmj.distance.regular_shanten_batch(counts, melds=melds),
        fastmj.acceptance_batch(counts, melds=melds),
        fastmj.discards_batch(counts, melds=melds),
        fastmj.waits_batch(ready, melds=melds),
        fastmj.waits_scores_batch(ready, melds=melds),
        fastmj.fan_distance_batch(counts[:50], melds=melds[:50]),
        fastmj.min_fan_shanten_batch(ready[:50], melds=melds[:50], most_exact=0),
        fastmj.features(batch[:50]),
        decisions([play_game(seed=seed) for seed in range(4)], fan_tiles=True),
    ]


@pytest.fixture(scope="module")
def found(batch):
    return results(batch)


def test_results_are_columns_of_arrow(found):
    for result in found:
        table = pa.table(result)
        assert table.num_rows == len(result) > 0
        assert set(table.column_names) == set(result.columns)
        for name, column in result.columns.items():
            if isinstance(result, DecisionBatch) and (column.ndim > 1):
                continue  # bytes, and lists of fans: tests of records
            assert table[name].to_pylist() == column.tolist(), name
        assert pa.table(result[:0]).num_rows == 0
        if not isinstance(result, DecisionBatch):
            assert pa.table(result[1:40:3])["status"].to_pylist() == result.status[1:40:3].tolist()


def test_results_are_values(batch, found):
    for result, again in zip(found, results(batch), strict=True):
        assert result == again
        assert result == pickle.loads(pickle.dumps(result)) == copy.deepcopy(result)
        assert result[: len(result) // 2] != result[len(result) // 2 :][: len(result) // 2]
        assert result != batch
        rows = list(result)
        assert rows == [result[place] for place in range(len(result))] == list(again)
        assert rows[3] == result[3] == result[3 - len(result)]
        assert len({*rows, *again}) == len(set(rows)) > 1
        for name, column in result.columns.items():
            assert np.array_equal(getattr(rows[3], name), column[3])
        for place in (len(result), -len(result) - 1):
            with pytest.raises(IndexError, match=f"row {place} of {len(result)}"):
                result[place]


def test_a_decision_says_what_was_done(found):
    rows = found[-1]
    assert [action_text(row.action) for row in rows] == list(map(action_text, rows.action))
    for row in rows:
        assert f"player {row.player} with " in repr(row)
        assert f": {action_text(row.action)}, out of {sum(row.legal)} actions>" in repr(row)
    texts = [action_text(number) for number in range(235)]
    assert len(set(texts)) == 235
    for number in (-236, 235, 1000):
        with pytest.raises((ValueError, IndexError)):
            action_text(number)


def test_no_single_array_is_made_of_rows(batch, scores, found):
    """It took 160 µs a row, and the frame had one column of objects."""
    pandas = pytest.importorskip("pandas")
    for given in (batch, scores, found[-1]):
        for function in (np.asarray, pandas.DataFrame):
            with pytest.raises(TypeError, match=r"from_arrow.*to_arrow"):
                function(given)
    frame = pandas.DataFrame(found[0])
    assert list(frame.columns) == list(found[0].columns)
    assert frame["best"].tolist() == found[0].best.tolist()


# --- there and back


def ways_of_polars(table):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(table)
    yield from (frame, frame.lazy().collect(), frame.to_struct("hands"), frame.to_arrow())
    yield frame.to_arrow(compat_level=polars.CompatLevel.oldest())
    yield polars.concat([frame[:123], frame[123:]], rechunk=False)
    pytest.importorskip("pandas")
    yield from (frame.to_pandas(), frame.to_pandas(use_pyarrow_extension_array=True))


def ways_of_pandas(table):
    pandas = pytest.importorskip("pandas", "2.2")
    frame = table.to_pandas()
    yield from (frame, table.to_pandas(types_mapper=pandas.ArrowDtype))
    yield from (frame.convert_dtypes(), frame.convert_dtypes(dtype_backend="pyarrow"))
    yield from (frame.set_index(frame.index + 7), frame.sample(frac=1.0).sort_index())
    wide = frame.astype(dict.fromkeys(frame.select_dtypes("integer"), "int64"))
    yield wide.assign(other="text")
    if hasattr(pandas.DataFrame, "from_arrow"):
        yield pandas.DataFrame.from_arrow(table)


def ways_of_duckdb(table):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("create table hands as select * from given")
    yield connection.sql("select * from hands").to_arrow_table()
    found = connection.sql("select * replace (win_tile::bigint as win_tile) from hands")
    yield found.to_arrow_table()
    pytest.importorskip("pandas")
    yield found.df()
    pytest.importorskip("polars")
    yield found.pl()


def ways_of_arrow(table):
    yield from (table, table.to_reader(), table.to_batches()[0], table.to_struct_array())
    yield pa.concat_tables([table[:100], table[100:]])
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        if pa.types.is_fixed_size_binary(table["counts"].type):
            yield table.set_column(0, "counts", table["counts"].cast(kind))
    for kind in (pa.list_(pa.int64()), pa.large_list(pa.int32()), pa.list_(pa.uint8(), 34)):
        column = pa.array([list(row) for row in table["counts"].to_pylist()], kind)
        yield table.set_column(0, "counts", column)


@pytest.mark.parametrize("layout", ["binary", "lists"])
@pytest.mark.parametrize("ways", [ways_of_arrow, ways_of_polars, ways_of_pandas, ways_of_duckdb])
def test_round_trips(batch, layout, ways):
    number = 0
    for number, frame in enumerate(ways(batch.to_arrow(layout)), 1):
        assert HandBatch.from_arrow(frame) == batch, number
    assert number > 3


def test_parts_of_frames(batch):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(batch)
    assert HandBatch.from_arrow(frame.slice(100, 50)) == batch[100:150]
    some = frame.filter(polars.col("flowers") > 3)
    assert HandBatch.from_arrow(some) == batch[batch.flowers > 3]


def test_columns_are_not_copied(batch, scores, found):
    """Numbers, and vectors where the frame knows arrays, lie where they lay."""
    polars, shanten, discards = pytest.importorskip("polars"), found[0], found[3]
    for given, name in (
        (batch, "win_tile"), (scores, "total"), (shanten, "best"), (discards, "mask"),
        (discards, "copies"), (found[-1], "action"),
    ):  # fmt: skip
        column = polars.DataFrame(given)[name].to_numpy()
        assert np.shares_memory(column, getattr(given, name)), name
    lists = polars.DataFrame(batch.to_arrow("lists"))
    assert np.shares_memory(lists["counts"].to_numpy(), batch.counts)
    again = HandBatch.from_arrow(batch)
    for mine, theirs in zip(again.columns, batch.columns, strict=True):
        assert np.shares_memory(mine, theirs)
    for mine, theirs in zip(HandBatch.from_arrow(lists).columns, batch.columns, strict=True):
        assert np.shares_memory(mine, theirs)
    pandas = pytest.importorskip("pandas")
    frame = scores.to_arrow().to_pandas(types_mapper=pandas.ArrowDtype)
    assert HandBatch.from_arrow(batch.to_arrow().to_pandas(types_mapper=pandas.ArrowDtype)) == batch
    address = frame["total"].array.__arrow_array__().chunk(0).buffers()[1].address
    assert address == scores.total.ctypes.data


def test_duckdb_reads_results_by_their_names(batch, scores, found):
    duckdb = pytest.importorskip("duckdb")
    discards, rows = found[3], found[-1]
    [(total, wins)] = duckdb.sql("select sum(total), count(*) filter (wins) from scores").fetchall()
    assert (total, wins) == (scores.total.sum(), scores.wins.sum())
    assert duckdb.sql("select count(*) from batch").fetchall() == [(len(batch),)]
    assert duckdb.sql("select sum(copies[3]) from discards").fetchall() == [
        (discards.copies[:, 2].sum(),)
    ]
    assert duckdb.sql("select sum(score) from rows").fetchall() == [(rows.score.sum(),)]


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

    columns = [tuple(texts), np.array(texts), np.array(texts, object), pa.array(texts)]
    columns.append(pa.chunked_array([texts[:7], texts[7:]]))
    with suppress(ImportError):
        import pandas

        columns += [
            pandas.Series(texts),
            pandas.Series(hands),
            pandas.Series(texts, dtype="category"),
        ]
    with suppress(ImportError):
        import polars

        columns.append(polars.Series(texts))
    for column in columns:
        assert HandBatch.from_hands(column) == HandBatch.from_hands(hands)
        assert HandBatch.from_hands(column[:3]) == HandBatch.from_hands(hands[:3])

    def missing(*_: object) -> None:
        raise ImportError("numba")

    monkeypatch.setattr("fastmj.hands.batch.columns_of_texts", missing)
    assert HandBatch.from_hands(texts) == HandBatch.from_hands(hands)


def test_texts_are_read_in_bulk_without_pyarrow():
    script = """
import sys
sys.modules["pyarrow"] = None
from fastmj import HandBatch, hands, random_wins
batch = random_wins(1500, seed=71)
texts = [str(hand) for hand in batch]
hands.batch.parse_hand = None
assert HandBatch.from_hands(texts) == batch
"""
    subprocess.run([sys.executable, "-c", script], check=True)


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


def test_answers_are_values():
    """Equal when what they hold is, whatever it is; what does not change can be hashed."""
    hand, ready, games = "123456789m12355p", "123456789m1235p", [play_game(seed=s) for s in (1, 2)]
    frozen = (
        lambda: parse_hand(hand), lambda: Meld.parse("123m,1"), lambda: fastmj.score_hand(hand),
        lambda: fastmj.score_hand(hand).explain(), lambda: fastmj.shanten(hand),
        lambda: fastmj.waits(ready), lambda: fastmj.acceptance(ready),
        lambda: fastmj.discards(hand), lambda: fastmj.routes(ready),
        lambda: fastmj.min_fan_shanten(ready),
        lambda: fastmj.simulate(hand, samples=20, draws=3, seed=1),
        lambda: play_game(seed=1), lambda: tuple(wins(games)), lambda: tuple(check(games)),
        lambda: decisions(games)[3],
    )  # fmt: skip
    changing = (
        lambda: fastmj.parse_hands([hand, "x", "y", "z"]), lambda: statistics(games),
        lambda: statistics(games).seats[0], lambda: random_wins(9, seed=1),
    )  # fmt: skip
    for make in (*frozen, *changing):
        one, other = make(), make()
        assert one == other == copy.copy(one) == copy.deepcopy(one)
        assert pickle.loads(pickle.dumps(one)) == one != "another"
        if make in frozen:
            assert len({one, other}) == 1
        else:
            with pytest.raises(TypeError, match="unhashable"):
                hash(one)
    assert fastmj.parse_hands([hand, "x", "y"]) != fastmj.parse_hands([hand, "y", "x"])
    assert statistics(games) != statistics(games[:1])


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
