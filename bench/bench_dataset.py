"""Benchmarks of data files, on one thread; ``hands`` a call stand in the extra information."""

from __future__ import annotations

import pytest

from fastmj import parse_hands, random_wins, score_batch

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import score_file, stats_of_file  # noqa: E402

HANDS = 50_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dataset")
    batch = random_wins(HANDS, seed=1)
    pq.write_table(batch.to_arrow(), folder / "columns.parquet")
    with pa.ipc.new_file(str(folder / "columns.arrow"), batch.to_arrow().schema) as writer:
        writer.write_table(batch.to_arrow())
    texts = pa.table({"hand": [str(hand) for hand in batch[:5000]] * (HANDS // 5000)})
    pa.csv = pytest.importorskip("pyarrow.csv")
    pa.csv.write_csv(texts, folder / "texts.csv")
    return folder


@pytest.mark.parametrize("fans", ["mask", "list", "columns", "none"])
@pytest.mark.parametrize("name", ["columns.parquet", "columns.arrow", "texts.csv"])
def test_bench_files(benchmark, name, fans, folder):
    benchmark.extra_info["hands"] = HANDS
    output = folder / f"out.{name.rpartition('.')[2]}"
    report = benchmark(
        lambda: score_file(folder / name, output, fans=fans, overwrite=True, threads=1)
    )
    assert report.rows == HANDS


def test_bench_parts(benchmark, folder):
    benchmark.extra_info["hands"] = HANDS
    benchmark(lambda: score_file(folder / "columns.parquet", folder / "parts", overwrite=True,
                                 part_rows=10_000, threads=1))  # fmt: skip


def test_bench_stats(benchmark, folder):
    benchmark.extra_info["hands"] = HANDS
    score_file(folder / "columns.parquet", folder / "scored.parquet", overwrite=True)
    assert benchmark(lambda: stats_of_file(folder / "scored.parquet")).rows == HANDS


@pytest.mark.parametrize("fans", ["mask", "list", "columns"])
def test_bench_tables(benchmark, fans):
    benchmark.extra_info["hands"] = HANDS
    scores = score_batch(random_wins(HANDS, seed=1), fan_counts=True)
    assert benchmark(lambda: scores.to_arrow(fans)).num_rows == HANDS


def test_bench_texts(benchmark):
    texts = [str(hand) for hand in random_wins(5000, seed=1)]
    benchmark.extra_info["hands"] = len(texts)
    assert not len(benchmark(lambda: parse_hands(texts, threads=1)).bad)
