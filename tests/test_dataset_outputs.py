"""Where scores of data files are written: whole or not at all, resumed, and nothing of others."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fastmj import WMO2006, random_wins

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from fastmj import files  # noqa: E402
from fastmj.dataset import DataError, score_file  # noqa: E402
from fastmj.dataset import write as writing  # noqa: E402

ROWS = 1100
BAD = {5: "11111m123456789p", 640: "no hand"}


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    hands = [str(hand) for hand in random_wins(ROWS, seed=90)]
    for row, text in BAD.items():
        hands[row] = text
    path = tmp_path_factory.mktemp("source") / "in.parquet"
    pq.write_table(pa.table({"id": np.arange(ROWS), "hand": hands}), path, row_group_size=300)
    return path


def contents(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {file.name: file.read_bytes() for file in path.iterdir() if file.name[0] not in "._"}


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder, links and their targets too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


# --- nothing of others


def test_a_file_that_is_there_stays(source, tmp_path):
    output = tmp_path / "out.parquet"
    output.write_text("precious")
    output.chmod(0o640)
    with pytest.raises(DataError, match="is there already"):
        score_file(source, output)
    assert tree(tmp_path) == {"out.parquet": b"precious"}
    score_file(source, output, overwrite=True)
    assert pq.read_table(output).num_rows == ROWS
    assert stat.S_IMODE(output.stat().st_mode) == 0o640
    assert len(tree(tmp_path)) == 1


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("what", ["input", "hard link", "link"])
def test_the_input_is_no_output(what, overwrite, source, tmp_path):
    copy, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    copy.write_bytes(source.read_bytes())
    if what == "input":
        output = copy
    elif what == "hard link":
        os.link(copy, output)
    else:
        output.symlink_to(copy)
    before = tree(tmp_path)
    with pytest.raises(DataError, match="would replace"):
        score_file(copy, output, overwrite=overwrite)
    with pytest.raises(DataError, match="would replace"):
        score_file(copy, tmp_path / "other.csv", errors=output, overwrite=overwrite)
    assert tree(tmp_path) == before


def test_errors_and_output_are_two_files(source, tmp_path):
    for errors in ("out.csv", "./out.csv"):
        with pytest.raises(DataError, match="would replace"):
            score_file(source, tmp_path / "out.csv", errors=tmp_path / errors)
    assert tree(tmp_path) == {}
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="or stand in it"):
        score_file(source, tmp_path / "out", errors=tmp_path / "out" / "e.jsonl")
    (tmp_path / "e.jsonl").write_text("precious")
    with pytest.raises(DataError, match="is there already"):
        score_file(source, tmp_path / "out.csv", errors=tmp_path / "e.jsonl")
    assert (tmp_path / "e.jsonl").read_text() == "precious"


@pytest.mark.parametrize("overwrite", [False, True])
def test_links_are_followed(overwrite, source, tmp_path):
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "real.parquet", tmp_path / "out.parquet"
    link.symlink_to(target)
    if overwrite:
        target.write_text("old")
    score_file(source, link, overwrite=overwrite)
    assert link.is_symlink()
    assert pq.read_table(target).num_rows == ROWS
    folder = tmp_path / "parts"
    folder.symlink_to(tmp_path / "store" / "parts")
    score_file(source, folder)
    assert folder.is_symlink()
    assert pq.read_table(tmp_path / "store" / "parts").num_rows == ROWS


@pytest.mark.parametrize("what", ["pipe", "folder", "device"])
def test_what_is_no_regular_file_is_left_alone(what, source, tmp_path):
    output = tmp_path / "out.csv"
    if what == "pipe":
        os.mkfifo(output)
    elif what == "folder":
        output.mkdir()
    else:
        try:
            os.mknod(output, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        except OSError:
            pytest.skip("no rights to make a device")
    mode = output.stat().st_mode
    for options in ({}, {"overwrite": True}):
        with pytest.raises(DataError, match="no regular file"):
            score_file(source, output, **options)
        with pytest.raises(DataError, match="no regular file"):
            score_file(source, tmp_path / "other.csv", errors=output, **options)
    assert output.stat().st_mode == mode
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(
    "foreign", ["notes.txt", "part-x.parquet", ".hidden", "sub/part-000000.parquet"]
)
def test_folders_with_other_things_in_them(foreign, overwrite, source, tmp_path):
    folder = tmp_path / "out"
    (folder / foreign).parent.mkdir(parents=True)
    (folder / foreign).write_text("precious")
    before = tree(tmp_path)
    with pytest.raises(DataError, match="other things in it"):
        score_file(source, folder, overwrite=overwrite)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("foreign", ["notes.txt", "sub/x"])
def test_a_job_with_other_things_beside_it_is_not_replaced(foreign, source, tmp_path):
    folder = tmp_path / "out"
    score_file(source, folder)
    (folder / foreign).parent.mkdir(exist_ok=True)
    (folder / foreign).write_text("precious")
    before = tree(tmp_path)
    for options in ({"overwrite": True}, {"overwrite": True, "rules": WMO2006}):
        with pytest.raises(DataError, match="which is not ours: not replaced"):
            score_file(source, folder, **options)
    assert tree(tmp_path) == before


def test_the_folder_of_the_input_is_no_output(source, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "in.parquet").write_bytes(source.read_bytes())
    before = tree(tmp_path)
    for given in (folder, folder / "in.parquet"):
        for overwrite in (False, True):
            with pytest.raises(DataError, match="holds the input"):
                score_file(given, folder, overwrite=overwrite)
    with pytest.raises(DataError, match="or stand in it"):
        score_file(folder, folder / "out.parquet")
    assert tree(tmp_path) == before


def test_an_output_that_comes_into_being_meanwhile_stays(source, tmp_path):
    output = tmp_path / "out.parquet"

    def appears(done: int, _: int | None) -> None:
        if done:
            output.write_text("precious")

    with pytest.raises(DataError, match="come into being meanwhile"):
        score_file(source, output, progress=appears)
    assert tree(tmp_path) == {"out.parquet": b"precious"}


def test_files_of_similar_names_stay(source, tmp_path):
    names = ["out.parquet.parts", "out.parquet.old", ".out.parquet.tmp", "out.parquet~"]
    for name in names:
        (tmp_path / name).write_text("precious")
    score_file(source, tmp_path / "out.parquet")
    assert all((tmp_path / name).read_text() == "precious" for name in names)
    assert len(tree(tmp_path)) == 5


# --- whole or not at all


class Killed(BaseException):
    """Ends a run at a chosen moment, as a kill would."""


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out.csv", "out.jsonl", "out"])
def test_a_kill_at_any_moment(name, source, tmp_path, monkeypatch):
    """End the run at every step of writing; what stands under a final name is whole."""
    (tmp_path / "whole").mkdir()
    options = {"part_rows": 100, "threads": 2}
    report = score_file(source, tmp_path / "whole" / name, **options)
    whole = contents(tmp_path / "whole" / name)
    output, kills = tmp_path / name, 0
    real = {function: getattr(writing.OutputFile, function) for function in ("write", "__exit__")}
    real["_force"], real["replace"] = files._force, Path.replace
    moment = stop = 0

    def step(function: str):
        def called(*given):
            nonlocal moment
            moment += 1
            if moment == stop:
                raise Killed
            return real[function](*given)

        return called

    while True:
        moment, stop = 0, kills + 1 if output.suffix else 1 + kills % 9
        with monkeypatch.context() as patch:
            for function in ("write", "__exit__"):
                patch.setattr(writing.OutputFile, function, step(function))
            patch.setattr(files, "_force", step("_force"))
            patch.setattr(Path, "replace", step("replace"))
            patch.setattr(Path, "unlink", lambda *_, **__: None)  # a killed process tidies nothing
            try:
                done = score_file(source, output, **options)
                break
            except Killed:
                kills += 1
        assert kills < 200
        if output.suffix:
            assert not output.exists() or contents(output) == whole
            if output.exists():  # killed when all was done
                output.unlink()
        elif output.exists():
            assert contents(output).items() <= whole.items()
    assert kills >= 4
    assert contents(output) == whole
    assert (done.rows, done.wins, done.invalid) == (report.rows, report.wins, report.invalid)


RUN = """
import sys
from fastmj.dataset import score_file
score_file(sys.argv[1], sys.argv[2], part_rows=300, threads=2)
print("done")
"""


def test_killed_processes(tmp_path):
    """Kill at random moments; finished parts stand, the end is the same to the byte."""
    source = tmp_path / "in.parquet"
    pq.write_table(random_wins(60_000, seed=91).to_arrow(), source)
    score_file(source, tmp_path / "whole", part_rows=300)
    output = tmp_path / "out"
    rng = random.Random(92)
    there, kills = 0, 0
    for attempt in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, source, output], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        if attempt < 3:
            goal = there + rng.randrange(1, 40)
            while process.poll() is None and len(list(output.glob("part-*"))) < goal:
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=120)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, err.decode()
        kills += 1
        now = len(list(output.glob("part-*")))
        assert now >= there
        there = now
    assert out.decode().split() == ["done"]
    assert kills >= 2
    assert contents(output) == contents(tmp_path / "whole")


def test_a_directory_is_gone_on_with(source, tmp_path):
    output, errors = tmp_path / "out", tmp_path / "e.jsonl"
    whole = score_file(source, output, part_rows=100, errors=errors)
    before = contents(output)
    named = errors.read_bytes()
    assert [json.loads(line)["row"] for line in named.splitlines()] == list(BAD)
    for part in (0, 3, 10):
        (output / f"part-{part:06}.parquet").unlink()
    kept = {file: file.stat().st_mtime_ns for file in output.iterdir()}
    report = score_file(source, output, part_rows=100, errors=tmp_path / "f.jsonl")
    assert contents(output) == before
    assert (report.parts, report.kept) == (11, 8)
    assert (report.rows, report.wins, report.not_complete, report.invalid, report.bad) == (
        whole.rows, whole.wins, whole.not_complete, whole.invalid, whole.bad,
    )  # fmt: skip
    assert (tmp_path / "f.jsonl").read_bytes() == named
    assert all(file.stat().st_mtime_ns == moment for file, moment in kept.items())
    assert score_file(source, output, part_rows=100).kept == 11
    with pytest.raises(DataError, match=r"row 5 \(from 0\)"):
        score_file(source, output, part_rows=100, strict=True)


@pytest.mark.parametrize(
    "other", [{"rules": WMO2006}, {"part_rows": 200}, {"fans": "mask"}, {"keep": ["id"]},
              {"compression": "zstd"}, {"names": "en"}, {"output_format": "csv"}],
)  # fmt: skip
def test_another_job_is_not_gone_on_with(other, source, tmp_path):
    output = tmp_path / "out"
    score_file(source, output, part_rows=100)
    before = tree(tmp_path)
    with pytest.raises(DataError, match="holds the output of another job"):
        score_file(source, output, **{"part_rows": 100, **other})
    assert tree(tmp_path) == before
    report = score_file(source, output, overwrite=True, **{"part_rows": 100, **other})
    assert (report.kept, report.rows) == (0, ROWS)
    score_file(source, tmp_path / "fresh", **{"part_rows": 100, **other})
    assert contents(output) == contents(tmp_path / "fresh")


def test_another_input_is_another_job(source, tmp_path):
    copy = tmp_path / "in.parquet"
    copy.write_bytes(source.read_bytes())
    score_file(copy, tmp_path / "out", part_rows=100)
    os.utime(copy, (1, 1))
    with pytest.raises(DataError, match="another job"):
        score_file(copy, tmp_path / "out", part_rows=100)


def test_damage_to_what_is_there_is_told(source, tmp_path):
    output = tmp_path / "out"
    score_file(source, output, part_rows=100)
    (output / "part-000004.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataError, match=r"part-000004\.parquet"):
        score_file(source, output, part_rows=100)
    (output / "_fastmj.json").write_text("{")
    with pytest.raises(DataError, match="is damaged"):
        score_file(source, output, part_rows=100)


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out.csv", "out.jsonl", "out"])
def test_a_full_disk(name, source, tmp_path, monkeypatch):
    output, real, calls = tmp_path / name, writing.OutputFile.write, []

    def full(*given):
        calls.extend([1] * (given[1].num_rows > 1))  # not those that try what can be written
        if len(calls) == (1 if output.suffix else 2):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(writing.OutputFile, "write", full)
        with pytest.raises(OSError, match="No space left"):
            score_file(source, output, part_rows=100, errors=tmp_path / "e.jsonl")
    left = [path.name for path in tmp_path.rglob("*")]
    assert sorted(left) == ([] if output.suffix else ["_fastmj.json", "out", "part-000000.parquet"])
    assert score_file(source, output, part_rows=100).rows == ROWS


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no memory disk")
def test_a_really_full_disk(source, tmp_path):
    """A limit on the length of files stands for it: it fails in the same place."""
    code = (
        "import resource, signal, sys\n"
        "from fastmj.dataset import score_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "for name in ('o.parquet', 'o.arrow', 'o.csv', 'o.jsonl'):\n"
        "    try:\n"
        "        score_file(sys.argv[1], sys.argv[2] + '/' + name)\n"
        "    except OSError as error:\n"
        "        print('told', error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, source, tmp_path], capture_output=True,
                          text=True, check=True, timeout=200)  # fmt: skip
    assert done.stdout.count("told") == 4, done.stdout
    assert list(tmp_path.iterdir()) == []
