"""Data sets scored by Ray are scored as on one machine, though a worker dies on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import ray_workers

from fastmj import HandBatch, random_wins, score_batch

pa = pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import DataError, score_file  # noqa: E402
from fastmj.dataset.ray import Scorer, score_ray  # noqa: E402

ROWS = 6000


@pytest.fixture(scope="module")
def workers_seen(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module", autouse=True)
def cluster(workers_seen):
    ray_workers.start(ray, workers_seen, cpus=3)
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def hands(tmp_path_factory) -> Path:
    batch = random_wins(ROWS, seed=97)
    counts = batch.counts.copy()
    counts[100] = 0
    batch = HandBatch.from_columns(counts, *batch.columns[1:])
    path = tmp_path_factory.mktemp("ray") / "hands.parquet"
    pq.write_table(batch.to_arrow().append_column("id", pa.array(np.arange(ROWS))), path,
                   row_group_size=500)  # fmt: skip
    return path


@pytest.fixture(scope="module")
def alone(hands):
    score_file(hands, hands.with_name("alone.parquet"))
    return pq.read_table(hands.with_name("alone.parquet"))


def together(dataset):
    tables = [pa.Table.from_batches([b]) if isinstance(b, pa.RecordBatch) else b
              for b in map(ray.get, dataset.to_arrow_refs())]  # fmt: skip
    return pa.concat_tables([table for table in tables if table.num_rows])


def test_row_by_row(hands, alone):
    dataset = ray.data.read_parquet(str(hands)).repartition(6)
    found = together(score_ray(dataset, workers=2, batch_rows=700))
    assert found.cast(alone.schema).equals(alone)


class Slow(Scorer):
    """Says who it is, and takes so long that it can be killed at work."""

    def __call__(self, table):
        Path(os.environ["FASTMJ_TEST_WORKERS"], str(os.getpid())).touch()
        time.sleep(0.3)
        return super().__call__(table)


def test_a_worker_is_killed(hands, alone, workers_seen, monkeypatch):
    monkeypatch.setattr("fastmj.dataset.ray.Scorer", Slow)
    dataset = ray.data.read_parquet(str(hands)).repartition(12)
    killed = []

    def kill() -> None:
        for _ in range(1200):
            alive = [int(file.name) for file in workers_seen.iterdir()]
            if len(alive) >= 2:
                time.sleep(0.4)
                os.kill(alive[0], signal.SIGKILL)
                killed.append(alive[0])
                return
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    found = together(score_ray(dataset, workers=2, batch_rows=500))
    thread.join()
    assert len(killed) == 1
    assert len(list(workers_seen.iterdir())) >= 3  # another one took its place
    assert found.cast(alone.schema).equals(alone)


def test_texts_and_bad_data_sets():
    texts = [str(hand) for hand in random_wins(50, seed=98)]
    dataset = ray.data.from_arrow(pa.table({"hand": texts}))
    found = together(score_ray(dataset, fans="mask", workers=1))
    assert found["total"].to_pylist() == score_batch(HandBatch.from_hands(texts)).total.tolist()
    with pytest.raises(DataError, match="no column 'text'"):
        score_ray(dataset, column="text")
    with pytest.raises(DataError, match=r"column 'hand': .*int64"):
        score_ray(ray.data.from_arrow(pa.table({"hand": [1, 2]})))


def test_strict(hands):
    with pytest.raises(Exception, match="a row is no possible hand: 0 concealed tiles"):
        together(score_ray(ray.data.read_parquet(str(hands)), strict=True, workers=1))


# --- files


def test_directories_are_the_local_ones(hands, tmp_path):
    here = score_file(hands, tmp_path / "here", part_rows=1000)
    there = score_file(hands, tmp_path / "there", engine="ray", threads=2)
    assert (there.rows, there.wins, there.not_complete, there.invalid) == (
        here.rows, here.wins, here.not_complete, here.invalid,
    )  # fmt: skip
    # Which part comes first is Ray's to choose.
    found = [pq.read_table(tmp_path / name).sort_by("id") for name in ("here", "there")]
    assert found[0].equals(found[1])
    names = sorted(file.name for file in (tmp_path / "there").iterdir())
    assert names[0] == "_fastmj.json"
    assert all(part.startswith("part-") for part in names[1:])
    assert score_file(hands, tmp_path / "there", engine="ray").kept == len(names) - 1
    with pytest.raises(DataError, match="another job"):
        score_file(hands, tmp_path / "there")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["here", "there"]


@pytest.mark.parametrize("ending", ["arrow", "csv", "jsonl"])
def test_other_inputs(ending, hands, tmp_path):
    for number in (0, 1):
        source = tmp_path / "in" / f"{number}.{ending}"
        source.parent.mkdir(exist_ok=True)
        score_file(hands, source, fans="none", prefix=f"x{ending}_")
    score_file(tmp_path / "in", tmp_path / "here.parquet")
    score_file(tmp_path / "in", tmp_path / "there", engine="ray")
    here, there = pq.read_table(tmp_path / "here.parquet"), pq.read_table(tmp_path / "there")
    assert here.num_rows == 2 * ROWS
    assert here.sort_by("id").equals(there.sort_by("id"))


def test_strict_stops(hands, tmp_path):
    with pytest.raises(DataError, match="concealed tiles"):
        score_file(hands, tmp_path / "p", engine="ray", strict=True)
    assert not list((tmp_path / "p").glob("part-*"))


@pytest.mark.parametrize(
    ("name", "options"),
    [("o.parquet", {}), ("o", {"output_format": "csv"}), ("o", {"errors": "e.jsonl"})],
)
def test_what_workers_do_not_write(name, options, hands, tmp_path):
    with pytest.raises(ValueError, match="workers write directories of Parquet files"):
        score_file(hands, tmp_path / name, engine="ray", **options)
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_one_line(tmp_path):
    (tmp_path / "in.csv").write_text("id,hand\n" + "1,123456789m12355p\n" * 9 + "1,2,3\n")
    with pytest.raises(DataError, match=r"row 9 \(from 0\) has 3 cells") as caught:
        score_file(tmp_path / "in.csv", tmp_path / "o", engine="ray")
    assert "\n" not in str(caught.value)
