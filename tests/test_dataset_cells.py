"""Columns of hands in CSV files: numbers with spaces between them, there and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.csv  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from fastmj import HandBatch, Status, random_wins, score_batch  # noqa: E402
from fastmj.dataset import DataError, score_file  # noqa: E402

COLUMNS = ("counts", "melds", "win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")


@pytest.fixture
def wins():
    return random_wins(300, seed=31)


def csv_of(path, batch, **changed):
    """Write the columns of a batch; ``changed`` are cells of the first row."""
    lines = [",".join(COLUMNS)]
    for row in range(len(batch)):
        cells = {}
        for name in COLUMNS:
            value = getattr(batch, name)[row]
            cells[name] = " ".join(map(str, np.atleast_1d(value)))
        cells |= changed if row == 0 else {}
        lines.append(",".join(cells.values()))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_are_read_from_csv(wins, tmp_path):
    source = csv_of(tmp_path / "in.csv", wins)
    report = score_file(source, tmp_path / "out.parquet", part_rows=70)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found["total"].to_pylist() == score_batch(wins).total.tolist()
    assert found["counts"][0].as_py() == " ".join(map(str, wins.counts[0]))
    assert report.rows == 300
    assert report.bad == ()


def test_columns_are_written_to_csv_and_read_again(wins, tmp_path):
    pq.write_table(wins.to_arrow(), tmp_path / "in.parquet")
    score_file(tmp_path / "in.parquet", tmp_path / "one.csv")
    assert (
        (tmp_path / "one.csv")
        .read_text()
        .splitlines()[1]
        .startswith('"' + " ".join(map(str, wins.counts[0])) + '"')
    )
    score_file(tmp_path / "one.csv", tmp_path / "two.jsonl", keep=[])
    lines = (tmp_path / "two.jsonl").read_text(encoding="utf-8").splitlines()
    totals = [json.loads(line)["total"] for line in lines]
    assert totals == score_batch(wins).total.tolist()


def test_spaces_and_zeros_do_not_matter(wins, tmp_path):
    spaced = "  " + "   ".join(f"{count:02d}" for count in wins.counts[0]) + " "
    source = csv_of(tmp_path / "in.csv", wins, counts=spaced, win_tile=f" {wins.win_tile[0]}")
    score_file(source, tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found["total"][0].as_py() == score_batch(wins).total[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"counts": "1 2 3"},
        {"counts": "x " * 33 + "1"},
        {"counts": ""},
        {"counts": "-1 " + "0 " * 33},
        {"counts": "0 " * 35},
        {"win_tile": "5m"},
        {"win_tile": "300"},
        {"melds": "1 2 3 4 5"},
        {"flowers": "1.5"},
    ],
)
def test_cells_that_are_no_numbers_are_bad_rows(changed, wins, tmp_path):
    source = csv_of(tmp_path / "in.csv", wins, **changed)
    report = score_file(source, tmp_path / "out.parquet", errors=tmp_path / "bad.jsonl")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found["status"][0].as_py() > Status.NOT_COMPLETE
    assert found["total"].to_pylist()[1:] == score_batch(wins).total.tolist()[1:]
    assert [bad.row for bad in report.bad] == [0]
    with pytest.raises(DataError, match="row 0"):
        score_file(source, tmp_path / "strict.parquet", strict=True)


def test_other_lists_and_bytes(tmp_path, wins):
    """Lists of whole numbers are cells; what CSV cannot hold is still refused."""
    lists = pa.array([[1, 2], [], None] * 100)
    table = wins.to_arrow().append_column("mine", lists)
    pq.write_table(table, tmp_path / "in.parquet")
    score_file(tmp_path / "in.parquet", tmp_path / "out.csv", keep=["mine"])
    found = pyarrow.csv.read_csv(tmp_path / "out.csv")
    assert [str(cell) for cell in found["mine"].to_pylist()[:3]] == ["1 2", "", ""]
    odd = table.append_column("odd", pa.array([[["a"]]] * 300))
    pq.write_table(odd, tmp_path / "odd.parquet")
    with pytest.raises(DataError, match="odd"):
        score_file(tmp_path / "odd.parquet", tmp_path / "odd.csv")


def test_texts_of_hands_are_left_alone(tmp_path, wins):
    """A column that is called flowers may hold anything beside a column of hand texts."""
    hands = [str(hand) for hand in wins[:20]]
    table = pa.table({"hand": hands, "flowers": ["none"] * 20})
    pyarrow.csv.write_csv(table, tmp_path / "in.csv")
    score_file(tmp_path / "in.csv", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found["flowers"].to_pylist() == ["none"] * 20
    assert found["total"].to_pylist() == score_batch(HandBatch.from_hands(hands)).total.tolist()
