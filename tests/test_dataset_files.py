"""Data files scored: formats, resuming, bad rows, and what goes wrong on the way."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from fastmj import WMO2006, HandBatch, Status, random_wins, score_batch

pa = pytest.importorskip("pyarrow")

import pyarrow.csv as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import DataError, score_file  # noqa: E402
from fastmj.dataset import text_files as dataset_texts  # noqa: E402

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
    parts = 1 if ending else 3
    assert (report.rows, report.parts, report.kept, report.invalid) == (ROWS, parts, 0, 0)
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
        assert leftovers(output) == ["_fastmj.json"] + [f"part-{n:06}.parquet" for n in range(3)]
        assert score_file(output, tmp_path / "again.parquet", prefix="b_").rows == ROWS


def test_input_columns_stay_as_they_are(sources, columns, texts, tmp_path):
    score_file(sources["columns.parquet"], tmp_path / "a.parquet", part_rows=300)
    assert read(tmp_path / "a.parquet").select(columns.column_names).equals(columns)
    score_file(sources["texts.csv"], tmp_path / "b.csv", part_rows=300)
    assert read(tmp_path / "b.csv").select(texts.column_names).equals(texts)
    score_file(sources["texts.jsonl"], tmp_path / "c.jsonl", part_rows=300)
    assert read(tmp_path / "c.jsonl").select(texts.column_names).equals(texts)


def test_options(sources, batch, tmp_path):
    for fans, number in (("columns", 82), ("mask", 2), ("none", 0), ("list", 1)):
        output = tmp_path / f"{fans}.parquet"
        score_file(sources["columns.parquet"], output, fans=fans, prefix="s_", keep=["id"],
                   rules=WMO2006, names="key", compression="zstd")  # fmt: skip
        found = read(output)
        assert found.num_columns == 1 + 4 + number
        expected = score_batch(batch, rules=WMO2006, fan_counts=True).to_arrow(fans, "key", "s_")
        assert found.drop_columns(["id"]).equals(expected)


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
    assert len(said) == 2
    score_file(sources["columns.parquet"], tmp_path / "a", part_rows=300,
               progress=lambda done, total: said.append((done, total)))  # fmt: skip
    assert said[2:] == [(done, ROWS) for done in (0, 300, 600, 900, ROWS)]


@pytest.mark.parametrize("source", ["texts.csv", "texts.jsonl", "columns.arrows"])
def test_progress_of_what_does_not_say_its_length(source, sources, tmp_path):
    said = []
    score_file(sources[source], tmp_path / "a.parquet", threads=1,
               progress=lambda done, total: said.append((done, total)))  # fmt: skip
    assert said[0] == (0, None)
    assert said[-1] == (ROWS, None)


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
    with pytest.raises(DataError, match=r"e\.jsonl is there already"):
        score_file(damaged, tmp_path / "p.parquet", errors=tmp_path / "e.jsonl")
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
    with pytest.raises(DataError, match="csv cannot hold the column 'odd'"):
        score_file(write(odd, tmp_path / "in.parquet"), tmp_path / "out.csv")
    with pytest.raises(DataError, match="no such file"):
        score_file(tmp_path / "none.parquet", tmp_path / "out.parquet")
    with pytest.raises(DataError, match="no format is known"):
        score_file(tmp_path / "in.parquet", tmp_path / "out.xlsx")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no data files"):
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


# --- what there is to read


def test_several_files_and_places(columns, scores, tmp_path):
    for name, part in (("a.parquet", columns[:500]), ("b.pq", columns[500:700])):
        write(part, tmp_path / name) if name == "a.parquet" else pq.write_table(
            part, tmp_path / name
        )
    (tmp_path / "more").mkdir()
    write(columns[700:], tmp_path / "more" / "c.parquet")
    (tmp_path / "more" / "notes.txt").write_text("no data")
    places = [tmp_path / "a.parquet", (tmp_path / "b.pq").as_uri(), str(tmp_path / "more")]
    assert score_file(places, tmp_path / "out.arrow").rows == ROWS
    assert read(tmp_path / "out.arrow")["total"].to_pylist() == scores.total.tolist()
    with pytest.raises(DataError, match=r"several formats: csv, parquet"):
        (tmp_path / "d.csv").write_text("hand\n123456789m12355p\n")
        score_file([tmp_path / "a.parquet", tmp_path / "d.csv"], tmp_path / "o.parquet")
    with pytest.raises(DataError, match="cannot read nowhere://x: "):
        score_file("nowhere://x", tmp_path / "o.parquet")
    with pytest.raises(ValueError, match="outputs are written to paths"):
        score_file(places, "s3://bucket/out.parquet")


def test_uris_of_other_file_systems(columns, scores, tmp_path):
    """Whatever pyarrow knows: here one in memory, by the bridge that it has for fsspec."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    with memory.open("/hands/a.parquet", "wb") as file:
        pq.write_table(columns, file)
    try:
        assert score_file("fsspec+memory:///hands", tmp_path / "out.parquet").rows == ROWS
    finally:
        memory.rm("/hands", recursive=True)
    assert read(tmp_path / "out.parquet")["total"].to_pylist() == scores.total.tolist()


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "tsv"])
def test_encodings(encoding, ending, texts, scores, tmp_path):
    table = texts.set_column(2, "note", pa.array(["牌谱，东风"] * ROWS))
    rows = table.to_pylist()
    if ending == "jsonl":
        said = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        between = "," if ending == "csv" else "\t"
        said = between.join(table.column_names) + "\n"
        said += "".join(
            between.join((str(row["id"]), f'"{row["hand"]}"', row["note"])) + "\n" for row in rows
        )
    path = tmp_path / f"in.{ending}"
    path.write_bytes(said.encode(encoding))
    score_file(path, tmp_path / "out.parquet", encoding=encoding)
    found = read(tmp_path / "out.parquet")
    assert found["total"].to_pylist() == scores.total.tolist()
    assert found["note"].to_pylist() == table["note"].to_pylist()
    assert found["id"].to_pylist() == list(range(ROWS))
    assert found.schema.field("id").type == pa.int64()
    if encoding != "utf-8-sig":
        with pytest.raises(DataError, match=r"it is not utf-8.*: give its encoding"):
            score_file(path, tmp_path / "o.parquet")
    with pytest.raises(ValueError, match="unknown encoding: klingon"):
        score_file(path, tmp_path / "o.parquet", encoding="klingon")


def test_delimiters(texts, scores, tmp_path):
    (tmp_path / "in.csv").write_text(
        "id;hand\n" + "".join(f"{row['id']};{row['hand']}\n" for row in texts.to_pylist())
    )
    score_file(tmp_path / "in.csv", tmp_path / "out.parquet", delimiter=";")
    assert read(tmp_path / "out.parquet")["total"].to_pylist() == scores.total.tolist()
    with pytest.raises(ValueError, match="a delimiter is one ASCII character"):
        score_file(tmp_path / "in.csv", tmp_path / "o.parquet", delimiter="||")


@pytest.mark.parametrize(("ending", "module"), [(".gz", "gzip"), (".bz2", "bz2")])
def test_packed_texts(ending, module, sources, scores, tmp_path):
    for name in ("texts.csv", "texts.jsonl"):
        packed = tmp_path / (name + ending)
        packed.write_bytes(__import__(module).compress(sources[name].read_bytes()))
        score_file(packed, tmp_path / "out.arrow", overwrite=True)
        assert read(tmp_path / "out.arrow")["total"].to_pylist() == scores.total.tolist()


FRAMES = {
    "binary": lambda t: t.cast(pa.schema([("counts", pa.binary()), ("melds", pa.binary())])),
    "large": lambda t: t.cast(
        pa.schema([("counts", pa.large_binary()), ("melds", pa.large_binary())])
    ),
    "views": lambda t: t.cast(
        pa.schema([("counts", pa.binary_view()), ("melds", pa.binary_view())])
    ),
    "lists": lambda t: pa.table({n: pa.array([list(r) for r in t[n].to_pylist()],
                                             pa.list_(pa.int64())) for n in t.column_names}),
    "large lists": lambda t: pa.table({n: pa.array([list(r) for r in t[n].to_pylist()],
                                            pa.large_list(pa.int64())) for n in t.column_names}),
    "arrays": lambda t: pa.table({n: pa.array([list(r) for r in t[n].to_pylist()],
                           pa.list_(pa.int64(), len(t[n][0].as_py()))) for n in t.column_names}),
    "dictionaries": lambda t: pa.table({n: t[n].cast(pa.binary()).dictionary_encode()
                                        for n in t.column_names}),
}  # fmt: skip


@pytest.mark.parametrize("form", FRAMES)
def test_every_form_of_columns(form, batch):
    table = batch.to_arrow()
    changed = FRAMES[form](table.select(["counts", "melds"]))
    for name in ("counts", "melds"):
        position = table.column_names.index(name)
        table = table.set_column(position, name, changed[name])
    assert HandBatch.from_arrow(table) == batch
    assert HandBatch.from_arrow(table.slice(17, 400)) == batch[17:417]
    if form in ("binary", "large", "views"):
        rows = [bytes(33), None, *table["counts"].to_pylist()[2:]]
        bad = pa.array(rows, table["counts"].type)
        found = HandBatch.from_arrow(table.set_column(0, "counts", bad))
        assert found.counts[:2].min() == 255
        assert found[2:] == batch[2:]


TEXTS = (pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.large_string()))


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_every_form_of_texts(kind, texts, scores, tmp_path):
    table = texts.set_column(1, "hand", texts["hand"].cast(kind))
    with pa.ipc.new_file(str(tmp_path / "in.arrow"), table.schema) as writer:
        writer.write_table(table)
    score_file(tmp_path / "in.arrow", tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet")["total"].to_pylist() == scores.total.tolist()


# --- numbers that nobody rounds


def test_whole_numbers_of_csv_stay_whole(texts, tmp_path):
    ids = [2**62 + row for row in range(ROWS)]
    lines = [f'{number},00{number},{2**64 + number},"{hand}",,1.50'
             for number, hand in zip(ids, texts["hand"].to_pylist(), strict=True)]  # fmt: skip
    path = tmp_path / "in.csv"
    path.write_text("id,zip,long,hand,none,price\n" + "\n".join(lines) + "\n")
    for ending in ("parquet", "jsonl", "csv"):
        score_file(path, tmp_path / f"out.{ending}", fans="none")
    table = read(tmp_path / "out.parquet")
    assert table["id"].to_pylist() == ids
    assert table["zip"].to_pylist() == [f"00{number}" for number in ids]
    assert table["long"].to_pylist() == [str(2**64 + number) for number in ids]
    assert set(table["none"].to_pylist()) == {""}
    assert set(table["price"].to_pylist()) == {"1.50"}
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert (first["id"], first["zip"]) == (2**62, f"00{2**62}")
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith(f'{2**62},"00{2**62}",')


@pytest.mark.parametrize("cell", ["007", "x", "1.5", str(2**63), "+5"])
def test_a_cell_that_is_no_whole_number_further_on(cell, tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_texts, "BLOCK", 1 << 10)
    lines = [f"{row},123456789m12355p\n" for row in range(200)]
    lines[150] = f"{cell},123456789m12355p\n"
    path = tmp_path / "in.csv"
    path.write_text("id,hand\n" + "".join(lines))
    with pytest.raises(DataError, match=r"row 150 \(from 0\): column 'id' holds '.*'") as caught:
        score_file(path, tmp_path / "out.parquet")
    assert caught.value.row == 150
    assert not (tmp_path / "out.parquet").exists()
    assert score_file(path, tmp_path / "out.parquet", keep=["hand"]).rows == 200


def test_empty_cells_among_numbers(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("id,hand\n1,123456789m12355p\n,123456789m12355p\n3,123456789m12355p\n")
    score_file(path, tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet")["id"].to_pylist() == [1, None, 3]


@pytest.mark.parametrize("number", [2**63 + 1, 10**30, -(2**70) - 1])
@pytest.mark.parametrize("where", ["{}", "[{}]", '{{"a": [1, {}]}}'])
def test_numbers_of_json_that_would_be_rounded(number, where, tmp_path):
    path = tmp_path / "in.jsonl"
    inside = where.format(number)
    good = where.format(5)
    path.write_text(f'{{"hand": "123456789m12355p", "n": {good}}}\n'
                    f'{{"hand": "123456789m12355p", "n": {inside}}}\n')  # fmt: skip
    with pytest.raises(DataError, match=r"row 1 \(from 0\): column 'n' holds a whole number"):
        score_file(path, tmp_path / "out.parquet")


def test_long_numbers_of_json_that_fit(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(f'{{"hand": "123456789m12355p", "n": {2**63 - 1}, "x": 1e300}}\n' * 3)
    score_file(path, tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet")["n"].to_pylist() == [2**63 - 1] * 3


def test_unsigned_numbers_stay(texts, tmp_path):
    table = texts.append_column("big", pa.array([2**64 - 1 - row for row in range(ROWS)],
                                                pa.uint64()))  # fmt: skip
    source = write(table, tmp_path / "in.parquet")
    for ending in ("parquet", "csv", "jsonl", "arrow"):
        score_file(source, tmp_path / f"out.{ending}", fans="none")
    for ending in ("parquet", "arrow"):
        assert read(tmp_path / f"out.{ending}")["big"].equals(table["big"])
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["big"] == 2**64 - 1
    assert str(2**64 - 1) in (tmp_path / "out.csv").read_text()


# --- hostile files


def nested(depth: int, text: str = "1m") -> str:
    return f'{{"hand": "123456789m12355p", "a": {"[" * depth}"{text}"{"]" * depth}}}\n'


def test_deep_nesting_is_refused(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(nested(60, '[[[\\"{' * 50) * 2)
    assert score_file(path, tmp_path / "out.jsonl").rows == 2
    for depth in (70, 1_000_000):
        path.write_text(nested(1) * 3 + nested(depth))
        with pytest.raises(DataError, match=r"line 4 .* more than 64 deep"):
            score_file(path, tmp_path / "o.jsonl")


def test_rows_of_another_length(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,hand\n1,123456789m12355p\n2,123456789m12355p,3\n")
    with pytest.raises(DataError, match=r"in.csv: row 1 \(from 0\) has 3 cells .* has 2"):
        score_file(path, tmp_path / "o.csv")


def test_very_long_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_texts, "BLOCK", 1 << 12)
    line = '{"hand": "123456789m12355p", "note": "' + "x" * 50_000 + '"}\n'
    (tmp_path / "in.jsonl").write_text(line)
    with pytest.raises(DataError, match="longer than"):
        score_file(tmp_path / "in.jsonl", tmp_path / "o.jsonl")
    (tmp_path / "in.csv").write_text('hand,note\n123456789m12355p,"' + "x" * 50_000 + '"\n')
    with pytest.raises(DataError, match=r"in\.csv: "):
        score_file(tmp_path / "in.csv", tmp_path / "o.csv")


def test_rows_that_take_no_room(tmp_path):
    """A file of some hundred bytes may say that it has any number of rows: memory is bounded."""
    rows = 3_000_000
    table = pa.table({"hand": pa.nulls(rows)})
    with pa.ipc.new_file(str(tmp_path / "in.arrow"), table.schema) as writer:
        writer.write_table(table)
    assert (tmp_path / "in.arrow").stat().st_size < 1000
    before = pa.total_allocated_bytes()
    said = []
    report = score_file(
        tmp_path / "in.arrow", tmp_path / "o.arrow", fans="mask",
        progress=lambda *_: said.append(pa.total_allocated_bytes() - before),
    )  # fmt: skip
    assert (report.rows, report.invalid) == (rows, rows)
    assert max(said) < 100_000_000


@pytest.mark.parametrize("most", [0, 1, 3])
def test_fewer_threads_than_asked_for(monkeypatch, tmp_path, most):
    """Where no more can be started, those that there are do the work."""
    start, before = threading.Thread.start, threading.active_count()

    def limited(thread):
        if threading.active_count() >= before + most:
            raise RuntimeError("can't start new thread")
        start(thread)

    source = write(random_wins(5000, seed=9).to_arrow(), tmp_path / "in.arrow")
    wanted = score_file(source, tmp_path / "wanted.parquet")
    monkeypatch.setattr(threading.Thread, "start", limited)
    found = score_file(source, tmp_path / "found.parquet", threads=8)
    assert (found.rows, found.wins) == (wanted.rows, wanted.wins) == (5000, found.wins)
    assert read(tmp_path / "found.parquet").equals(read(tmp_path / "wanted.parquet"))
