"""The commands ``batch`` and ``stats``."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from fastmj import FANS, random_wins, score_batch
from fastmj.cli import stats as stats_cli
from fastmj.cli.dataset import register

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import DataError, score_file, stats_of_file  # noqa: E402

app = typer.Typer()
register(app)
stats_cli.register(app)


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    batch = random_wins(800, seed=95)
    pq.write_table(batch.to_arrow(), folder / "hands.parquet")
    texts = [str(hand) for hand in batch]
    texts[7] = "11111m123456789p"
    texts[9:11] = ["no hand", "123456789m1245p7s"]
    pq.write_table(pa.table({"text": texts}), folder / "texts.parquet")
    csv = "hand\n" + "".join(f'"{text}"\n' for text in texts)
    (folder / "texts.csv").write_text(csv, encoding="utf-8")
    return folder


def test_batch(folder, tmp_path):
    code, out, err = run("batch", folder / "hands.parquet", tmp_path / "o.parquet", "--names", "en")
    assert (code, err) == (0, "")
    scores = score_batch(random_wins(800, seed=95), fan_counts=True)
    assert f"800 hands: {scores.wins.sum()} win" in out
    found = pq.read_table(tmp_path / "o.parquet")
    assert found["fans"].to_pylist() == scores.to_arrow(names="en")["fans"].to_pylist()
    code, out, err = run("batch", folder / "hands.parquet", tmp_path / "o.parquet")
    assert code == 2
    assert "there already" in err
    code, out, _ = run("batch", folder / "hands.parquet", tmp_path / "o.parquet", "--force",
                       "--fans", "mask", "--keep", "", "--json", "--part-rows", 300)  # fmt: skip
    assert code == 0
    assert json.loads(out)["parts"] == 1
    assert pq.read_table(tmp_path / "o.parquet").num_columns == 6


def test_bad_rows(folder, tmp_path):
    code, out, err = run("batch", folder / "texts.parquet", tmp_path / "o.csv", "-c", "text",
                         "--errors", tmp_path / "e.jsonl")  # fmt: skip
    assert code == 0
    assert "1 not complete, 2 impossible" in out
    assert "row 7: 5 copies of 1m: there are four" in err
    assert len((tmp_path / "e.jsonl").read_text().splitlines()) == 2
    code, out, err = run("batch", folder / "texts.csv", tmp_path / "s.csv", "--strict")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "row 7 (from 0): 5 copies of 1m" in err
    assert not (tmp_path / "s.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.parquet", "o.parquet"], "no such file"),
        (["texts.parquet", "o.parquet"], "no column 'hand'"),
        (["texts.parquet", "o.xls", "-c", "text"], "no format is known"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, folder, tmp_path):
    source, output, *more = arguments
    code, out, err = run("batch", folder / source, tmp_path / output, *more)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_commas_need_quotes(tmp_path):
    (tmp_path / "x.csv").write_text("hand\n[123m,1]55p123456789s\n")
    code, _, err = run("batch", tmp_path / "x.csv", tmp_path / "y.csv")
    assert code == 2
    assert "must stand in quotes" in err


@pytest.mark.parametrize("paths", [("-", "o.csv"), ("texts.csv", "-")])
def test_data_files_are_no_streams(paths, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    code, _, err = run("batch", *paths)
    assert code == 2
    assert "no streams" in err
    assert not (folder / "-").exists()


def test_a_cluster_is_for_ray(folder, tmp_path):
    code, _, err = run("batch", folder / "texts.csv", tmp_path / "o.csv", "--address", "x:1")
    assert code == 2
    assert "--engine ray" in err


def test_wrong_names_of_rules(folder, tmp_path):
    for option in ("--rules", "--honors"):
        assert run("batch", folder / "texts.csv", tmp_path / "o.csv", option, "x")[0] == 2


def test_a_place_that_cannot_be_written_is_exit_code_1(folder, tmp_path):
    (tmp_path / "file").touch()
    code, out, err = run("batch", folder / "texts.csv", tmp_path / "file" / "o.csv")
    assert (code, out) == (1, "")
    assert err.startswith("error: cannot write: ")
    assert err.count("\n") == 1


# --- stats


@pytest.fixture(scope="module")
def scored(folder):
    for fans in ("list", "columns", "mask", "none"):
        for ending in ("parquet", "csv", "jsonl", "arrow"):
            score_file(folder / "texts.csv", folder / f"{fans}.{ending}", fans=fans)
    return folder


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "arrow"])
@pytest.mark.parametrize("fans", ["list", "columns", "mask", "none"])
def test_stats(fans, ending, scored):
    stats = stats_of_file(scored / f"{fans}.{ending}")
    columns = stats_of_file(scored / "columns.parquet")
    assert (stats.rows, stats.complete) == (800, 797)
    assert stats.statuses == {0: 797, 1: 1, 5: 1, 2: 1}
    assert (stats.wins, stats.totals) == (columns.wins, columns.totals)
    keep = np.delete(np.arange(800), [7, 9, 10])
    expected = score_batch(random_wins(800, seed=95)[keep], fan_counts=True)
    assert stats.totals == dict(zip(*np.unique(expected.total, return_counts=True), strict=True))
    assert stats.mean == pytest.approx(expected.total.mean())
    assert stats.quantile(0.5) == np.quantile(expected.total, 0.5, method="inverted_cdf")
    if fans == "none":
        assert stats.times is None
        return
    assert np.array_equal(stats.hands_with, (expected.fan_counts > 0).sum(axis=0))
    wanted = stats.hands_with if fans == "mask" else expected.fan_counts.sum(axis=0)
    assert np.array_equal(stats.times, wanted)


def test_stats_command(scored):
    code, out, err = run("stats", scored / "list.parquet")
    assert (code, err) == (0, "")
    assert "800 hands" in out
    assert "自摸 Self-Drawn" in out
    code, out, _ = run("stats", scored / "list.parquet", "--json")
    record = json.loads(out)
    assert record["rows"] == 800
    assert len(record["fans"]) == len(FANS)
    assert run("stats", scored / "none.csv")[0] == 0


def test_stats_of_something_else(folder, scored, tmp_path):
    code, out, err = run("stats", folder / "texts.csv")
    assert (code, out) == (2, "")
    assert "is it a scored file?" in err
    (tmp_path / "x.csv").write_text("total,wins,status,fans\n1,true,0,nonsense\n")
    assert run("stats", tmp_path / "x.csv")[0] == 2
    (tmp_path / "y.csv").write_text("total,wins,status\nx,true,0\n")
    with pytest.raises(DataError, match="something else"):
        stats_of_file(tmp_path / "y.csv")
    score_file(scored / "texts.csv", tmp_path / "p.parquet", prefix="p_")
    assert stats_of_file(tmp_path / "p.parquet", prefix="p_").rows == 800


def test_plot(scored, tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("list.parquet", "none.csv"):
        code, _, _ = run("stats", scored / name, "--plot", tmp_path / "a.png")
        assert code == 0
        assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_without_pyarrow():
    """The command says what to install; the library loads without it."""
    code = """
import sys
for name in ("pyarrow", "matplotlib", "ray"):
    sys.modules[name] = None
import fastmj.dataset, fastmj.cli.dataset, fastmj.cli.stats, typer
app = typer.Typer()
fastmj.cli.dataset.register(app)
fastmj.cli.stats.register(app)
app(["batch", "a.csv", "b.csv"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'fastmj[data]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_command_has_the_defaults_of_the_function():
    from inspect import signature

    from fastmj.cli.dataset import batch_command
    from fastmj.dataset import score_file

    function, command = signature(score_file).parameters, signature(batch_command).parameters
    for name in ("part_rows", "strict", "threads", "column", "prefix", "compression"):
        assert command[name].default == function[name].default, name


# --- doubling rules


@pytest.mark.parametrize("fans", ["list", "columns", "mask", "none"])
def test_doubling_rules(fans, folder, tmp_path):
    from fastmj import REGIONAL

    batch = random_wins(800, seed=95)
    scores = score_batch(batch, rules=REGIONAL, fan_counts=True)
    for ending in ("parquet", "arrow", "csv", "jsonl"):
        output = tmp_path / f"o.{ending}"
        code, _, err = run("batch", folder / "hands.parquet", output, "--rules", "regional",
                           "--fans", fans)  # fmt: skip
        assert (code, err) == (0, "")
        stats = stats_of_file(output, rules=REGIONAL)
        assert stats.wins == scores.wins.sum()
        assert stats.complete == (scores.status == 0).sum()
        if fans != "none":
            assert stats.hands_with.tolist() == (scores.fan_counts > 0).sum(axis=0).tolist()
        code, out, _ = run("stats", output, "--rules", "regional")
        assert code == 0
        assert ("Full Flush" in out) == (fans != "none")
