"""Data files scored by Ray become what the local engine makes of them, whatever dies on the way."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import ray_workers

from fastmj import HandBatch, random_wins

pa = pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import DataError, score_file  # noqa: E402
from fastmj.dataset import ray_files as dataset_ray_files  # noqa: E402
from fastmj.dataset.ray_files import PartMaker, score_file_with_ray  # noqa: E402

ROWS, PART = 3000, 700
BAD = (100, 1999)


@pytest.fixture(scope="module")
def workers_seen(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module", autouse=True)
def cluster(workers_seen):
    ray_workers.start(ray, workers_seen, cpus=2)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ray")
    batch = random_wins(ROWS, seed=97)
    texts = [str(hand) for hand in batch]
    counts = batch.counts.copy()
    for row in BAD:
        counts[row], texts[row] = 0, "no hand"
    batch = HandBatch.from_columns(counts, *batch.columns[1:])
    table = batch.to_arrow().append_column("id", pa.array(np.arange(ROWS)))
    pq.write_table(table, folder / "hands.parquet", row_group_size=500)
    with pa.ipc.new_file(folder / "hands.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=400)
    csv = "hand,id\n" + "".join(f'"{text}",{row}\n' for row, text in enumerate(texts))
    (folder / "hands.csv").write_text(csv, encoding="utf-8")
    lines = (json.dumps({"hand": text, "id": row}) for row, text in enumerate(texts))
    (folder / "hands.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def contents(path: Path) -> dict[str, bytes]:
    files = path.iterdir() if path.is_dir() else [path]
    # Which parts were ready first is a matter of luck.
    return {f.name: f.read_bytes() for f in files if f.name != "_manifest.jsonl"}


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("hands.parquet", "o.parquet"),
        ("hands.parquet", "o"),
        ("hands.parquet", "o.arrow"),
        ("hands.arrow", "o.parquet"),
        ("hands.csv", "o.csv"),
        ("hands.jsonl", "o.jsonl"),
    ],
)
def test_output_report_and_errors_are_the_local_ones(source, output, folder, tmp_path):
    reports = []
    for name, engine in (("local", score_file), ("ray", score_file_with_ray)):
        (tmp_path / name).mkdir()
        report = engine(folder / source, tmp_path / name / output, part_rows=PART,
                        errors=tmp_path / name / "e.jsonl")  # fmt: skip
        reports.append(dataclasses.replace(report, path=Path(), seconds=0))
    assert reports[0] == reports[1]
    assert (reports[1].rows, reports[1].invalid, reports[1].parts) == (ROWS, 2, 5)
    assert [bad.row for bad in reports[1].bad] == list(BAD)
    assert contents(tmp_path / "local" / output) == contents(tmp_path / "ray" / output)
    assert contents(tmp_path / "local" / "e.jsonl") == contents(tmp_path / "ray" / "e.jsonl")
    assert {file.name for file in (tmp_path / "ray").iterdir()} == {output, "e.jsonl"}


def test_long_row_groups_are_read_once(folder, tmp_path):
    """Each part would read them from the beginning."""
    pq.write_table(pq.read_table(folder / "hands.parquet"), tmp_path / "long.parquet")
    for name, engine in (("local", score_file), ("ray", score_file_with_ray)):
        report = engine(tmp_path / "long.parquet", tmp_path / f"{name}.parquet", part_rows=300)
        assert report.parts == 10
    assert (tmp_path / "local.parquet").read_bytes() == (tmp_path / "ray.parquet").read_bytes()


def test_a_file_without_rows(folder, tmp_path):
    table = pq.read_table(folder / "hands.parquet").slice(0, 0)
    pq.write_table(table, tmp_path / "none.parquet")
    assert score_file_with_ray(tmp_path / "none.parquet", tmp_path / "o.parquet").rows == 0
    assert pq.read_table(tmp_path / "o.parquet").num_rows == 0


class StopError(Exception):
    """What ends a run."""


def stop_after(rows):
    def progress(done, total):
        if done >= rows:
            raise StopError

    return progress


@pytest.mark.parametrize("source", ["hands.parquet", "hands.csv"])
def test_either_engine_goes_on_where_the_other_one_ended(source, folder, tmp_path):
    score_file(folder / source, tmp_path / "whole.parquet", part_rows=20)
    expected = (tmp_path / "whole.parquet").read_bytes()
    engines = (score_file, score_file_with_ray)
    for first, second in (engines, engines[::-1]):
        with pytest.raises(StopError):
            first(folder / source, tmp_path / "o.parquet", part_rows=20, threads=1,
                  progress=stop_after(5 * 20))  # fmt: skip
        assert not (tmp_path / "o.parquet").exists()
        report = second(folder / source, tmp_path / "o.parquet", part_rows=20)
        assert 5 <= report.kept < report.parts
        assert (tmp_path / "o.parquet").read_bytes() == expected
        (tmp_path / "o.parquet").unlink()


@pytest.mark.parametrize("source", ["hands.parquet", "hands.csv"])
def test_all_parts_are_there_already(source, folder, tmp_path):
    with pytest.raises(StopError):
        score_file(folder / source, tmp_path / "o.parquet", part_rows=PART,
                   progress=stop_after(ROWS))  # fmt: skip
    report = score_file_with_ray(folder / source, tmp_path / "o.parquet", part_rows=PART)
    assert report.kept == report.parts == 5


class Slow(PartMaker):
    """Says who it is, and takes so long that it can be killed at work."""

    def __call__(self, wanted):
        Path(os.environ["FASTMJ_TEST_WORKERS"], str(os.getpid())).touch()
        time.sleep(0.3)
        return super().__call__(wanted)


@pytest.mark.parametrize("source", ["hands.parquet", "hands.csv"])
def test_a_worker_is_killed(source, folder, tmp_path, workers_seen, monkeypatch):
    score_file(folder / source, tmp_path / "alone.parquet", part_rows=150)
    monkeypatch.setattr(dataset_ray_files, "PartMaker", Slow)
    for file in workers_seen.iterdir():
        file.unlink()
    killed = []

    def kill() -> None:
        for _ in range(1200):
            if alive := [int(file.name) for file in workers_seen.iterdir()]:
                time.sleep(0.4)
                os.kill(alive[0], signal.SIGKILL)
                killed.append(alive[0])
                return
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    report = score_file_with_ray(folder / source, tmp_path / "o.parquet", part_rows=150)
    thread.join()
    assert len(killed) == 1
    assert len(list(workers_seen.iterdir())) >= 2  # another one took its place
    assert report.parts == 20
    assert (tmp_path / "o.parquet").read_bytes() == (tmp_path / "alone.parquet").read_bytes()


# --- what goes wrong


@pytest.mark.parametrize("source", ["hands.parquet", "hands.csv"])
def test_strict_names_the_first_bad_row(source, folder, tmp_path):
    with pytest.raises(DataError, match=rf"{source}: row {BAD[0]} \(from 0\)") as caught:
        score_file_with_ray(folder / source, tmp_path / "o", strict=True, part_rows=10)
    assert caught.value.row == BAD[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"text": ["123m"]}, {}, "no column 'hand'"),
        ({"hand": ["123m"]}, {"column": "text"}, "no column 'text'"),
        ({"hand": [1, 2]}, {}, "column 'hand': .*int64"),
        ({"counts": [1], "win_tile": [1]}, {}, "counts"),
        ({"hand": ["123m"], "total": [1]}, {}, "a column 'total' already"),
    ],
)
def test_bad_columns(table, options, message, tmp_path):
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=message):
        score_file_with_ray(tmp_path / "x.parquet", tmp_path / "o.parquet", **options)
    assert [file.name for file in tmp_path.iterdir()] == ["x.parquet"]


def test_damage_further_on_in_the_file(folder, tmp_path):
    lines = (folder / "hands.csv").read_text(encoding="utf-8").splitlines()
    lines[2500] = "a,b,c"
    (tmp_path / "x.csv").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match=r"cannot read .*x.csv: .*quotes"):
        score_file_with_ray(tmp_path / "x.csv", tmp_path / "o.parquet", part_rows=PART)
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"]


def test_what_is_there_is_kept(folder, tmp_path):
    (tmp_path / "o.parquet").write_text("mine")
    with pytest.raises(DataError, match="there already"):
        score_file_with_ray(folder / "hands.parquet", tmp_path / "o.parquet")
    assert (tmp_path / "o.parquet").read_text() == "mine"
    score_file_with_ray(folder / "hands.parquet", tmp_path / "o.parquet", overwrite=True)
    assert pq.read_metadata(tmp_path / "o.parquet").num_rows == ROWS


def test_other_versions_on_the_cluster(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_ray_files, "versions", lambda: ["9.9", "1"])
    with pytest.raises(ConnectionError, match=r"the cluster has fastmj .*, this process 9.9"):
        score_file_with_ray(folder / "hands.parquet", tmp_path / "o.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_does_not_see_the_file(folder, tmp_path, monkeypatch):
    order = dataset_ray_files.Order
    elsewhere = lambda path, *rest: order(path.with_name("elsewhere.parquet"), *rest)  # noqa: E731
    monkeypatch.setattr(dataset_ray_files, "Order", elsewhere)
    with pytest.raises(ConnectionError, match=r"elsewhere.parquet is not seen on "):
        score_file_with_ray(folder / "hands.parquet", tmp_path / "o.parquet")
