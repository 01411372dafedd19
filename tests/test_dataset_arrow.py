"""Hands and scores as Arrow tables and back."""

from __future__ import annotations

import numpy as np
import pytest

from fastmj import FANS, HandBatch, Status, random_wins, score_batch

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def batch() -> HandBatch:
    return random_wins(500, seed=80)


def test_round_trip(batch):
    for layout in ("binary", "lists"):
        table = batch.to_arrow(layout)
        assert HandBatch.from_arrow(table) == batch
        assert HandBatch.from_arrow(table.to_batches()[0]) == batch
        assert HandBatch.from_arrow(pa.concat_tables([table[:100], table[100:]])) == batch
        assert HandBatch.from_arrow(table[77:200]) == batch[77:200]
        assert len(HandBatch.from_arrow(table[:0])) == 0
    with pytest.raises(ValueError, match="layout"):
        batch.to_arrow("rows")


def test_nothing_is_copied(batch):
    table = batch.to_arrow()
    addresses = [column.chunk(0).buffers()[1].address for column in table.columns]
    assert addresses == [column.ctypes.data for column in batch.columns]
    back = HandBatch.from_arrow(table)
    assert [column.ctypes.data for column in back.columns] == addresses
    scores = score_batch(batch)
    found = scores.to_arrow("none")
    for name in ("total", "base", "status"):
        assert found[name].chunk(0).buffers()[1].address == getattr(scores, name).ctypes.data


def test_other_types_of_columns(batch):
    table = pa.table({
        "counts": pa.array(batch.counts.astype(int).tolist()),
        "melds": pa.array(batch.melds.tolist(), pa.large_list(pa.int16())),
        "win_tile": pa.array(batch.win_tile, pa.int64()),
        "circumstances": pa.array(batch.circumstances, pa.uint32()),
        "seat_wind": pa.array(batch.seat_wind, pa.int8()),
        "flowers": pa.array(batch.flowers.astype(np.int64)),
        "prevalent_wind": pa.array(batch.prevalent_wind),
        "other": pa.array(["x"] * len(batch)),
    })  # fmt: skip
    assert HandBatch.from_arrow(table) == batch
    assert HandBatch.from_arrow(table[3:50]) == batch[3:50]


def test_columns_that_may_be_missing():
    table = HandBatch.from_hands(["123456789m12355p"]).to_arrow().select(["win_tile", "counts"])
    assert str(HandBatch.from_arrow(table)[0]) == "123456789m1235p5p"
    for name in ("counts", "win_tile"):
        with pytest.raises(ValueError, match=f"no column '{name}'"):
            HandBatch.from_arrow(table.drop_columns([name]))


def test_nulls_and_numbers_out_of_range_are_bad_rows():
    one = HandBatch.from_hands(["123456789m12355p"] * 4)
    counts = one.counts.tolist()
    counts[1] = None
    counts[2] = counts[2][:33]
    table = pa.table({"counts": counts, "win_tile": pa.array([13, 13, 13, None])})
    status = score_batch(HandBatch.from_arrow(table)).status.tolist()
    assert status == [Status.OK, Status.BAD_TILE, Status.BAD_TILE, Status.BAD_WIN_TILE]
    table = pa.table({
        "counts": pa.array([bytes(row) for row in one.counts], pa.binary(34)),
        "win_tile": [-1, 256, 2**40, 13],
    })  # fmt: skip
    assert HandBatch.from_arrow(table).win_tile.tolist() == [255, 255, 255, 13]
    fixed = pa.array([bytes(34), None], pa.binary(34))
    assert HandBatch.from_arrow(pa.table({"counts": fixed, "win_tile": [0, 0]})).counts[1, 0] == 255
    lists = pa.array([[0] * 34, None], pa.list_(pa.uint8(), 34))
    assert HandBatch.from_arrow(pa.table({"counts": lists, "win_tile": [0, 0]})).counts[1, 0] == 255


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("counts", pa.array([1])),
        ("counts", pa.array(["1m"])),
        ("counts", pa.array([bytes(33)], pa.binary(33))),
        ("counts", pa.array([[0.0] * 34])),
        ("counts", pa.array([[0] * 33], pa.list_(pa.uint8(), 33))),
        ("win_tile", pa.array([1.0])),
        ("win_tile", pa.array(["1m"])),
        ("flowers", pa.array([[1]])),
    ],
)
def test_wrong_types(name, column):
    table = HandBatch.from_hands(["123456789m12355p"]).to_arrow()
    table = table.set_column(table.column_names.index(name), name, column)
    with pytest.raises(TypeError, match=f"'{name}' must hold"):
        HandBatch.from_arrow(table)


def test_not_a_table(batch):
    with pytest.raises(TypeError, match="Arrow table or record batch is wanted"):
        HandBatch.from_arrow({"counts": []})
    table = batch.to_arrow()
    with pytest.raises(ValueError, match="several columns 'counts'"):
        HandBatch.from_arrow(table.append_column("counts", table["counts"]))


# --- scores


def with_bad_rows() -> HandBatch:
    batch = random_wins(300, seed=81)
    counts = batch.counts.copy()
    counts[5] = 0
    counts[6] = np.roll(counts[6], 1)
    return HandBatch.from_columns(counts, *batch.columns[1:])


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("names", ["zh", "en", "key"])
def test_lists_of_fans(counted, names):
    scores = score_batch(with_bad_rows(), fan_counts=counted)
    table = scores.to_arrow(names=names)
    for row, found in enumerate(table["fans"].to_pylist()):
        times = [0] * len(FANS) if not counted else scores.fan_counts[row].tolist()
        expected = []
        for name in scores.fan_names(row):
            fan = FANS[name]
            expected += [getattr(fan, names)] * (times[fan.id] if counted else 1)
        assert found == expected
    for name in ("total", "base", "wins", "status"):
        assert table[name].to_pylist() == getattr(scores, name).tolist()


def test_other_ways_to_write_fans():
    scores = score_batch(with_bad_rows(), fan_counts=True)
    columns = scores.to_arrow("columns", prefix="x_")
    assert columns.num_columns == 4 + 82
    assert columns.column_names[0] == "x_total"
    for fan in FANS:
        assert columns[f"x_fan_{fan.key}"].to_pylist() == scores.fan_counts[:, fan.id].tolist()
    mask = scores.to_arrow("mask")
    assert np.array_equal(np.stack([mask["fan_mask_0"], mask["fan_mask_1"]], 1), scores.fan_mask)
    assert scores.to_arrow("none").column_names == ["total", "base", "wins", "status"]
    with pytest.raises(ValueError, match="fan_counts=True"):
        score_batch(with_bad_rows()).to_arrow("columns")
    for wrong in ({"fans": "some"}, {"names": "fr"}):
        with pytest.raises(ValueError, match="must be one of"):
            scores.to_arrow(**wrong)


def test_some_rows_and_none():
    scores = score_batch(with_bad_rows(), fan_counts=True)
    part = scores[::7].to_arrow()
    assert part["fans"].to_pylist() == scores.to_arrow()["fans"].to_pylist()[::7]
    assert scores[:0].to_arrow().num_rows == 0
