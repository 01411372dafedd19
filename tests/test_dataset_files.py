"""Data files scored: formats, resuming, bad rows, and what goes wrong on the way."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from fastmj import WMO2006, HandBatch, Status, random_wins, score_batch
from fastmj.rules import GB98

pa = pytest.importorskip("pyarrow")

import pyarrow.csv as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import DataError, parse_hands, score_file  # noqa: E402
from fastmj.dataset import growing as dataset_growing  # noqa: E402
from fastmj.dataset import job as dataset_job
from fastmj.dataset import scan as dataset_read
from fastmj.dataset import work as dataset_work

ROWS = 1100
ENDINGS = ("parquet", "arrow", "csv", "jsonl")


def write(table, path: Path, **options) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, **options)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=300)
    elif path.suffix == ".arrows":
        with pa.ipc.new_stream(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=300)
    elif path.suffix == ".csv":
        pc.write_csv(table, path)
    else:
        rows = [
            {name: list(v) if isinstance(v, bytes) else v for name, v in row.items()}
            for row in table.to_pylist()
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path):
    if path.is_dir() or path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrow":
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    if path.suffix == ".csv":
        return pc.read_csv(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    return pa.Table.from_pylist([json.loads(line) for line in lines])


@pytest.fixture(scope="module")
def batch() -> HandBatch:
    return random_wins(ROWS, seed=90)


@pytest.fixture(scope="module")
def scores(batch):
    return score_batch(batch, fan_counts=True)


@pytest.fixture(scope="module")
def columns(batch):
    return batch.to_arrow().append_column("id", pa.array(np.arange(ROWS)))


@pytest.fixture(scope="module")
def texts(batch):
    hands = [str(hand) for hand in batch]
    return pa.table({"id": np.arange(ROWS), "hand": hands, "note": ['a, "b"\nc'] * ROWS})


@pytest.fixture(scope="module")
def sources(tmp_path_factory, columns, texts) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("sources")
    made = {f"columns.{end}": write(columns, folder / f"columns.{end}")
            for end in ("parquet", "arrow", "arrows", "jsonl")}  # fmt: skip
    made |= {f"texts.{end}": write(texts, folder / f"texts.{end}") for end in ENDINGS}
    lists = write(columns.drop_columns(["counts"]).append_column(
        "counts", pa.array(columns["counts"].to_pylist()).cast(pa.binary(34))
    ), folder / "moved.parquet", row_group_size=130)  # fmt: skip
    return made | {"moved.parquet": lists}


def leftovers(folder: Path, *wanted: str) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in wanted)


# --- formats


@pytest.mark.parametrize("ending", [*ENDINGS, ""])
@pytest.mark.parametrize(
    "source",
    ["columns.parquet", "columns.arrow", "columns.arrows", "columns.jsonl", "moved.parquet",
     "texts.parquet", "texts.arrow", "texts.csv", "texts.jsonl"],
)  # fmt: skip
def test_every_format_into_every_other(source, ending, sources, scores, tmp_path):
    output = tmp_path / (f"out.{ending}" if ending else "out")
    keep = ["id"] if ending == "csv" else None
    report = score_file(sources[source], output, part_rows=400, keep=keep, threads=2)
    assert (report.rows, report.parts, report.kept, report.invalid) == (ROWS, 3, 0, 0)
    assert report.wins == int(scores.wins.sum())
    found = read(output)
    assert [int(i) for i in found["id"].to_pylist()] == list(range(ROWS))
    for name in ("total", "base", "wins", "status"):
        assert found[name].to_pylist() == getattr(scores, name).tolist()
    fans = found["fans"].to_pylist()
    assert [f.split(";") for f in fans] == scores.to_arrow()["fans"].to_pylist() if (
        ending == "csv"
    ) else fans == scores.to_arrow()["fans"].to_pylist()  # fmt: skip
    assert leftovers(tmp_path) == [output.name]
    if ending == "":
        assert leftovers(output) == ["_manifest.jsonl"] + [f"part-{n:06}.parquet" for n in range(3)]
        assert score_file(output, tmp_path / "again.parquet", prefix="b_").rows == ROWS


def test_input_columns_stay_as_they_are(sources, columns, texts, tmp_path):
    score_file(sources["columns.parquet"], tmp_path / "a.parquet", part_rows=300)
    assert read(tmp_path / "a.parquet").select(columns.column_names).equals(columns)
    score_file(sources["texts.csv"], tmp_path / "b.csv", part_rows=300)
    assert read(tmp_path / "b.csv").select(texts.column_names).equals(texts)
    score_file(sources["texts.jsonl"], tmp_path / "c.jsonl", part_rows=300)
    assert read(tmp_path / "c.jsonl").select(texts.column_names).equals(texts)


def test_joined_parquet_is_sound(sources, tmp_path):
    score_file(sources["columns.arrow"], tmp_path / "a.parquet", part_rows=70)
    score_file(sources["columns.arrow"], tmp_path / "b.parquet", part_rows=ROWS)
    many, one = pq.ParquetFile(tmp_path / "a.parquet"), pq.ParquetFile(tmp_path / "b.parquet")
    assert (many.num_row_groups, one.num_row_groups) == (16, 1)
    assert many.read().equals(one.read())
    for group in (3, 0, 15):
        assert many.read_row_group(group).equals(one.read()[group * 70 : group * 70 + 70])
    found = pq.read_table(tmp_path / "a.parquet", filters=[("total", ">=", 88)])
    expected = one.read()
    assert found.num_rows == sum(total >= 88 for total in expected["total"].to_pylist())
    assert many.metadata.row_group(15).column(3).statistics is not None


def test_options(sources, batch, tmp_path):
    for fans, number in (("columns", 82), ("mask", 2), ("none", 0), ("list", 1)):
        output = tmp_path / f"{fans}.parquet"
        score_file(sources["columns.parquet"], output, fans=fans, prefix="s_", keep=["id"],
                   rules=WMO2006, names="key", compression="zstd")  # fmt: skip
        found = read(output)
        assert found.num_columns == 1 + 4 + number
        expected = score_batch(batch, rules=WMO2006, fan_counts=True).to_arrow(fans, "key", "s_")
        assert found.drop_columns(["id"]).cast(expected.schema).equals(expected)


def test_directory_of_parquet_files(columns, scores, tmp_path):
    (tmp_path / "in").mkdir()
    write(columns[:500], tmp_path / "in" / "a.parquet")
    write(columns[500:], tmp_path / "in" / "b.parquet")
    (tmp_path / "in" / "_SUCCESS").touch()
    score_file(tmp_path / "in", tmp_path / "out.parquet", part_rows=400)
    assert read(tmp_path / "out.parquet")["total"].to_pylist() == scores.total.tolist()
    write(columns.drop_columns(["id"]), tmp_path / "in" / "c.parquet")
    with pytest.raises(DataError, match="columns differ"):
        score_file(tmp_path / "in", tmp_path / "other.parquet")


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_rows(ending, texts, tmp_path):
    source = write(texts[:0], tmp_path / "in.parquet")
    output = tmp_path / f"out.{ending}"
    assert score_file(source, output).rows == 0
    if ending != "jsonl":
        assert read(output).num_rows == 0
    assert leftovers(tmp_path, "in.parquet") == [output.name]


def test_result_depends_on_no_thread(sources, tmp_path):
    for threads in (1, 2, 5):
        score_file(sources["texts.parquet"], tmp_path / f"{threads}.parquet", part_rows=90,
                   threads=threads)  # fmt: skip
    assert len({(tmp_path / f"{n}.parquet").read_bytes() for n in (1, 2, 5)}) == 1


def test_progress(sources, tmp_path):
    said = []
    score_file(sources["columns.parquet"], tmp_path / "a.parquet", part_rows=300,
               progress=lambda done, total: said.append((done, total)))  # fmt: skip
    assert said[0] == (0, ROWS)
    assert said[-1] == (ROWS, ROWS)
    assert said == sorted(said)


@pytest.mark.parametrize("source", ["texts.csv", "texts.jsonl", "columns.arrows"])
def test_progress_of_what_does_not_say_its_length(source, sources, tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_read, "_TEXT_BLOCK", 1 << 13)
    said = []
    score_file(sources[source], tmp_path / "a.parquet", part_rows=100, threads=1,
               progress=lambda done, total: said.append((done, total)))  # fmt: skip
    assert said[0] == (0, None)
    assert [done for done, _ in said] == list(range(0, ROWS + 1, 100))
    if source == "columns.arrows":
        assert {total for _, total in said} == {None}
        return
    assert said[-1] == (ROWS, ROWS)
    assert all(ROWS / 2 <= total <= 2 * ROWS for _, total in said[2:])


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("stream", [False, True])
def test_compressed_arrow_files(compression, stream, columns, scores, tmp_path):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    path = tmp_path / ("in.arrows" if stream else "in.arrow")
    with make(str(path), columns.schema, options=options) as writer:
        writer.write_table(columns, max_chunksize=300)
    assert path.stat().st_size < columns.nbytes
    for output in (tmp_path / "out.parquet", tmp_path / "out.arrow"):
        score_file(path, output, part_rows=400, compression=compression)
        found = read(output)
        assert found.select(columns.column_names).equals(columns)
        assert found["total"].to_pylist() == scores.total.tolist()
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 200] = bytes(200)
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"in\.arrow"):
        score_file(path, tmp_path / "other.parquet", part_rows=400)


# --- bad rows

BAD = {3: ("11111m123456789p", Status.FIVE_OF_A_KIND), 700: ("", Status.TILE_COUNT),
       701: (None, Status.TILE_COUNT), 1099: ("xyz", Status.BAD_TILE)}  # fmt: skip


@pytest.fixture
def damaged(texts, tmp_path) -> Path:
    hands = texts["hand"].to_pylist()
    for row, (text, _) in BAD.items():
        hands[row] = text
    return write(texts.set_column(1, "hand", pa.array(hands)), tmp_path / "damaged.parquet")


def test_bad_rows_are_reported(damaged, scores, tmp_path):
    report = score_file(damaged, tmp_path / "o.parquet", part_rows=400, errors=tmp_path / "e.jsonl")
    assert report.invalid == 4
    records = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert [(r["row"], r["status"]) for r in records] == [(n, s.name) for n, (_, s) in BAD.items()]
    assert records[0]["message"] == "5 copies of 1m: there are four"
    assert [(bad.row, bad.message) for bad in report.bad] == [
        (record["row"], record["message"]) for record in records
    ]
    found = read(tmp_path / "o.parquet")
    for row in range(ROWS):
        if row in BAD:
            assert found["status"][row].as_py() == BAD[row][1]
            assert found["total"][row].as_py() == 0
            assert found["wins"][row].as_py() is False
            assert found["fans"][row].as_py() == []
        else:
            assert found["total"][row].as_py() == scores.total[row]
    score_file(damaged, tmp_path / "o.parquet", errors=tmp_path / "e.jsonl", overwrite=True,
               keep=["id"])  # fmt: skip
    assert len((tmp_path / "e.jsonl").read_text().splitlines()) == 4


def test_bad_rows_of_columns(batch, tmp_path):
    counts = batch.counts.copy()
    counts[17] = 0
    counts[1050, 5] = 9
    source = write(HandBatch.from_columns(counts, *batch.columns[1:]).to_arrow(),
                   tmp_path / "i.parquet")  # fmt: skip
    report = score_file(source, tmp_path / "o.parquet", part_rows=1000)
    assert [bad.row for bad in report.bad] == [17, 1050]
    assert report.bad[0].status == Status.TILE_COUNT
    assert report.bad[0].message.startswith("0 concealed tiles")


def test_strict_stops(damaged, tmp_path):
    with pytest.raises(DataError, match=r"row 3 \(from 0\): 5 copies of 1m") as caught:
        score_file(damaged, tmp_path / "o.parquet", strict=True, part_rows=400, threads=1)
    assert caught.value.row == 3
    assert leftovers(tmp_path) == ["damaged.parquet"]


# --- resuming


def arguments(source: Path, output: Path) -> dict:
    return {"source": source, "output": output, "part_rows": 100, "threads": 2,
            "errors": output.with_suffix(".errors")}  # fmt: skip


class Killed(BaseException):
    """Ends a run at a chosen moment, as a kill would: nothing is tidied up."""


WRITING = [
    (os, "write"), (os, "pwrite"), (os, "fsync"), (Path, "replace"),
    (dataset_job.Workspace, "_append"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out.csv", "out"])
def test_a_kill_at_any_moment(name, damaged, tmp_path, monkeypatch):
    """End the run at every moment at which something has just been written."""
    (tmp_path / "whole").mkdir()
    report = score_file(**arguments(damaged, tmp_path / "whole" / name))
    whole = contents(tmp_path / "whole" / name)
    unlink = Path.unlink
    output = tmp_path / name
    kills, moment = 0, 0

    def then_maybe_killed(real):
        def called(*given):
            nonlocal moment
            result = real(*given)
            moment += 1
            if moment >= stop:
                raise Killed
            return result

        return called

    def remove(path: Path, missing_ok: bool = False) -> None:
        if moment < stop:  # a killed process removes nothing
            unlink(path, missing_ok=missing_ok)

    for step in range(1, 400):
        # One moment further each time than the one before got from where that left off.
        moment, stop = 0, 1 + step % 24  # the last stage alone may have more than ten
        with monkeypatch.context() as patch:
            for module, function in WRITING:
                patch.setattr(module, function, then_maybe_killed(getattr(module, function)))
            patch.setattr(Path, "unlink", remove)
            try:
                done = score_file(**arguments(damaged, output))
            except Killed:
                kills += 1
                if not output.exists() or output.with_name(f"{name}.parts").exists():
                    continue
                done = None  # killed when nothing was left to do
        break
    else:
        done = score_file(**arguments(damaged, output))
    assert kills > 5
    assert contents(output) == whole
    if done is not None:
        assert (done.rows, done.invalid) == (report.rows, report.invalid)
    errors = output.with_suffix(".errors").name
    assert (tmp_path / errors).read_bytes() == (tmp_path / "whole" / errors).read_bytes()


def contents(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {file.name: file.read_bytes() for file in path.iterdir() if file.suffix == ".parquet"}


RUN = """
import sys
from fastmj.dataset import score_file
score_file(sys.argv[1], sys.argv[2], part_rows=300, threads=2)
print("done")
"""


def test_killed_processes(tmp_path):
    """Kill at random moments; finished parts stand, the end is the same to the byte."""
    hands = random_wins(150_000, seed=91).to_arrow()
    source = write(hands, tmp_path / "in.parquet", row_group_size=700)
    score_file(source, tmp_path / "whole.parquet", part_rows=300)
    output, parts = tmp_path / "out.parquet", tmp_path / "out.parquet.parts"
    rng = random.Random(92)
    listed, kills = set(), 0
    for attempt in range(30):
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, source, output], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(os.environ),
        )  # fmt: skip
        if attempt < 3:
            goal = len(listed) + rng.randrange(1, 30)
            while process.poll() is None and len(manifest(parts)) < goal:
                time.sleep(0.002)
            time.sleep(rng.random() * 0.02)
            process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=120)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, err.decode()
        kills += 1
        assert not output.exists() or not attempt
        now = manifest(parts)
        assert listed <= now
        listed = now
    assert out.decode().split() == ["done"]
    assert kills >= 2
    assert output.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert leftovers(tmp_path) == ["in.parquet", "out.parquet", "whole.parquet"]


def manifest(parts: Path) -> set[int]:
    try:
        lines = (parts / "_manifest.jsonl").read_text().splitlines()[1:]
    except OSError:
        return set()
    found = set()
    for line in lines:
        if line.endswith("}"):
            found.add(json.loads(line).get("number", -1))
    return found - {-1}


@pytest.fixture
def groups(columns, tmp_path) -> Path:
    """Row groups that end where every second part does, all but the last."""
    return write(columns, tmp_path / "groups.parquet", row_group_size=200)


@pytest.fixture(params=["out.parquet", "out"])
def half_done(request, groups, tmp_path, monkeypatch) -> Path:
    """Parts of a job that was stopped after five of them."""
    output = tmp_path / request.param
    real, calls = dataset_job.Workspace._enter, []

    def enter(self, part):
        if len(calls) == 5:
            raise Killed
        calls.append(1)
        return real(self, part)

    with monkeypatch.context() as patch:
        patch.setattr(dataset_job.Workspace, "_enter", enter)
        with pytest.raises(Killed):
            score_file(groups, output, part_rows=100, threads=1)
    return output


def resumed(source, output, **options) -> int:
    report = score_file(source, output, **{"part_rows": 100} | options)
    whole = output.with_name(f"whole{output.suffix}")
    score_file(source, whole, **{"part_rows": 100} | options)
    assert contents(output) == contents(whole)
    return report.kept


def test_finished_parts_are_kept(groups, half_done):
    parts = half_done.with_name(f"{half_done.name}.parts")
    assert len(manifest(parts)) == 5
    assert resumed(groups, half_done) == 5


def damage_file(path: Path, how: str, place: int) -> None:
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    else:
        more = b"" if how == "cut" else bytes([data[place] ^ 1]) + data[place + 1 :]
        path.write_bytes(data[:place] + more)


@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
@pytest.mark.parametrize("half_done", ["out"], indirect=True)
def test_damaged_parts_are_made_again(damage, groups, half_done):
    damage_file(half_done.with_name("out.parts") / "part-000002.parquet", damage, 50)
    assert resumed(groups, half_done) == 4


@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
@pytest.mark.parametrize("where", ["copied", "made"])
@pytest.mark.parametrize("half_done", ["out.parquet"], indirect=True)
def test_damaged_row_groups_are_made_again(damage, where, groups, half_done):
    parts = half_done.with_name("out.parquet.parts")
    lines = map(json.loads, (parts / "_manifest.jsonl").read_text().splitlines())
    begin, end, *_ = (line["end"] for line in lines if "group" in line)
    # In the second row group, which parts 2 and 3 are in: columns of the input stand before scores.
    damage_file(parts / "_output", damage, begin + 50 if where == "copied" else end - 10)
    assert resumed(groups, half_done) == (0 if damage == "missing" else 2)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_parts_of_a_row_group_that_is_not_complete_are_kept(stop, sources, tmp_path):
    """Those in memory are written down, unless the process is killed."""

    def progress(done: int, total: int) -> None:
        if done >= 700:
            raise stop

    output = tmp_path / "out.parquet"
    with pytest.raises(stop):
        score_file(sources["columns.parquet"], output, part_rows=100, progress=progress)
    found = len(manifest(tmp_path / "out.parquet.parts"))
    assert 7 <= found <= 11
    assert resumed(sources["columns.parquet"], output) == found


@pytest.mark.parametrize("order", ["backwards", "mixed"])
@pytest.mark.parametrize("limit", [0, 3, 100])
def test_parts_in_any_order(order, limit, groups, tmp_path, monkeypatch):
    """As they come from a cluster; too many of them do not wait in memory."""
    score_file(groups, tmp_path / "whole.parquet", part_rows=100)
    numbers = list(range(11))[::-1]
    if order == "mixed":
        random.Random(93).shuffle(numbers)

    def engine(work, source, part_rows, threads):
        made = [work.recipe.make(*part, source.path) for part in source.parts(part_rows, ())]
        for number in numbers:
            work.write(made[number])
            files = len(list(work.workspace.path.glob("part-*")))
            assert len(work._waiting) <= limit
            assert files == 0 or limit < 100

    monkeypatch.setattr(dataset_work, "_WAITING", limit)
    score_file(groups, tmp_path / "out.parquet", part_rows=100, engine=engine)
    assert contents(tmp_path / "out.parquet") == contents(tmp_path / "whole.parquet")


@pytest.mark.parametrize("kill", [None, 3, 8])
def test_long_row_groups_do_not_wait_in_memory(kill, sources, tmp_path, monkeypatch):
    source = sources["columns.parquet"]
    score_file(source, tmp_path / "whole.parquet", part_rows=100)
    monkeypatch.setattr(dataset_growing, "_LONG", 500)

    def progress(done: int, total: int) -> None:
        assert len(list((tmp_path / "out.parquet.parts").glob("part-*.parquet"))) >= done // 100
        if kill is not None and done >= 100 * kill:
            raise Killed

    with pytest.raises(Killed) if kill else nullcontext():
        score_file(source, tmp_path / "out.parquet", part_rows=100, progress=progress, threads=1)
    if kill:
        assert score_file(source, tmp_path / "out.parquet", part_rows=100).kept >= kill
    assert contents(tmp_path / "out.parquet") == contents(tmp_path / "whole.parquet")


def test_a_torn_manifest(groups, half_done):
    file = half_done.with_name(f"{half_done.name}.parts") / "_manifest.jsonl"
    data = file.read_bytes()
    file.write_bytes(data[:-20])
    torn = json.loads(data.splitlines()[-1])
    assert resumed(groups, half_done) == (4 if "number" in torn else 5)


def test_parts_of_another_job_do_not_count(groups, half_done):
    assert resumed(groups, half_done, rules=GB98.replace(min_fan=6)) == 0


def test_parts_of_another_input_do_not_count(half_done, columns, tmp_path):
    source = write(columns.take(np.arange(ROWS)[::-1]),
                   tmp_path / "in.parquet")  # fmt: skip
    assert score_file(source, half_done, part_rows=100).kept == 0


def test_two_runs_at_once(groups, half_done):
    pytest.importorskip("fcntl")
    parts = half_done.with_name(f"{half_done.name}.parts")
    workspace = dataset_job.Workspace(parts, ".parquet", {})
    try:
        with pytest.raises(DataError, match="another run is at work"):
            score_file(groups, half_done, part_rows=100)
    finally:
        workspace.close()


# --- the output


def test_an_output_that_is_there_stays(sources, tmp_path):
    output = tmp_path / "out.parquet"
    output.write_text("precious")
    with pytest.raises(DataError, match="is there already"):
        score_file(sources["columns.parquet"], output)
    assert output.read_text() == "precious"
    assert leftovers(tmp_path) == ["out.parquet"]
    score_file(sources["columns.parquet"], output, overwrite=True)
    assert read(output).num_rows == ROWS
    (tmp_path / "folder").mkdir()
    score_file(sources["columns.parquet"], tmp_path / "folder", overwrite=True)
    assert read(tmp_path / "folder").num_rows == ROWS
    with pytest.raises(DataError, match="replace the input"):
        score_file(output, output, overwrite=True, prefix="b_")


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out"])
@pytest.mark.parametrize("moment", [1, 4, 9, 20, 60])
def test_a_full_disk(name, moment, groups, tmp_path, monkeypatch):
    output, calls = tmp_path / name, []

    def full_at_last(real):
        def called(*given):
            calls.append(1)
            if len(calls) >= moment:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*given)

        return called

    whole = tmp_path / f"whole{output.suffix}"
    score_file(groups, whole, part_rows=100)
    with monkeypatch.context() as patch:
        for function in ("write", "pwrite", "fsync"):
            patch.setattr(os, function, full_at_last(getattr(os, function)))
        try:
            score_file(groups, output, part_rows=100)
        except OSError as error:
            assert error.errno == errno.ENOSPC
            assert not output.exists()
        else:
            assert moment >= len(calls)  # names that cannot be forced onto the disk are let be
    assert not list(tmp_path.rglob("*.tmp"))
    if not output.exists():
        score_file(groups, output, part_rows=100)
    assert contents(output) == contents(whole)


# --- bad input


@pytest.mark.parametrize("source", ["columns.parquet", "columns.arrow", "columns.arrows",
                                    "texts.parquet", "texts.csv", "texts.jsonl"])  # fmt: skip
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.7, 0.999])
def test_truncated_input(source, share, sources, tmp_path):
    data = sources[source].read_bytes()
    broken = tmp_path / source
    broken.write_bytes(data[: int(len(data) * share)])
    output = tmp_path / "out.parquet"
    try:
        report = score_file(broken, output, part_rows=100)
    except DataError as error:
        assert "\n" not in str(error)
        assert str(broken) in str(error)
        assert leftovers(tmp_path) == [source]
    else:
        # Text, and streams of batches, may be cut where a row ends.
        assert source.endswith((".csv", ".jsonl", ".arrows"))
        assert report.rows <= ROWS


@pytest.mark.parametrize("source", ["columns.parquet", "columns.arrow", "texts.parquet",
                                    "texts.arrow", "texts.csv", "texts.jsonl"])  # fmt: skip
def test_corrupt_input(source, sources, tmp_path):
    """Whatever bytes change: a result, or one clear line."""
    rng = random.Random(93)
    data = bytearray(sources[source].read_bytes())
    for attempt in range(12):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 20))):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        broken = tmp_path / source
        broken.write_bytes(changed)
        output = tmp_path / f"out{attempt}.parquet"
        try:
            score_file(broken, output, part_rows=400)
        except DataError as error:
            assert "\n" not in str(error)
            assert not output.exists()
        assert not list(tmp_path.glob("*.parts"))


def test_missing_columns_and_wrong_types(columns, texts, tmp_path):
    cases = [
        (texts.drop_columns(["hand"]), {}, "no column 'hand' of hand texts"),
        (texts, {"column": "hands"}, "no column 'hands'; the columns are 'id', 'hand', 'note'"),
        (texts, {"column": "id"}, "column 'id': hand texts are wanted"),
        (texts, {"keep": ["nothing"]}, "no column 'nothing' to keep"),
        (columns.drop_columns(["win_tile"]), {}, "nor 'counts' and 'win_tile'"),
        (columns.set_column(2, "win_tile", pa.array([1.5] * ROWS)), {}, "'win_tile' must hold"),
        (texts.append_column("total", texts["id"]), {}, "a column 'total' already"),
    ]
    for table, options, message in cases:
        source = write(table, tmp_path / "in.parquet")
        with pytest.raises(DataError, match=message):
            score_file(source, tmp_path / "out.parquet", **options)
        assert leftovers(tmp_path) == ["in.parquet"]
    odd = columns.append_column("odd", pa.array([["words"]] * ROWS))
    with pytest.raises(DataError, match="CSV cannot hold the column 'odd'"):
        score_file(write(odd, tmp_path / "in.parquet"), tmp_path / "out.csv")
    with pytest.raises(DataError, match="no such file"):
        score_file(tmp_path / "none.parquet", tmp_path / "out.parquet")
    with pytest.raises(DataError, match="no format is known"):
        score_file(tmp_path / "in.parquet", tmp_path / "out.xlsx")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no Parquet files"):
        score_file(tmp_path / "empty", tmp_path / "out.parquet")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"part_rows": 0}, "part_rows"), ({"threads": 0}, "threads"), ({"fans": "x"}, "fans"),
     ({"compression": "rar"}, "compression"), ({"output_format": "xml"}, "format")],
)  # fmt: skip
def test_bad_arguments(options, message, sources, tmp_path):
    with pytest.raises(ValueError, match=message):
        score_file(sources["columns.parquet"], tmp_path / "out.parquet", **options)
    assert leftovers(tmp_path) == []


def test_kernels_take_what_files_hold(sources):
    """Columns read from files are read-only views, as others are."""
    table = pq.read_table(sources["texts.parquet"])
    assert len(parse_hands(table["hand"]).bad) == 0
