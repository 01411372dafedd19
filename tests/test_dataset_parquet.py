"""Parquet in and out: columns that are copied, pages that are written, bytes that are read."""

from __future__ import annotations

import contextlib
import datetime
import os
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fastmj import GB98, HandBatch, Status, random_wins, score_batch
from fastmj.rules import FANS

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from fastmj import dataset, parquet_hands  # noqa: E402
from fastmj import parquet as dataset_parquet
from fastmj import scan as dataset_read
from fastmj.dataset import DataError, score_file  # noqa: E402
from fastmj.dataset.parquet import Copied, copied_columns  # noqa: E402
from fastmj.dataset.parquet_footer import (
    DATA_PAGE,
    DICTIONARY_PAGE,
    ENCRYPTION,
    PACKED,
    SIZE,
    VALUES,
    Footer,
)
from fastmj.dataset.parquet_hands import UnusualError, read_hands  # noqa: E402
from fastmj.dataset.parquet_thrift import BINARY, STRUCT, Reader, read_struct, write_struct

ROWS = 1000


@pytest.fixture(scope="module")
def batch() -> HandBatch:
    """Hands of which some win, some are not complete and some impossible."""
    made = random_wins(ROWS, seed=94)
    counts = made.counts.copy()
    counts[3] = 0
    counts[500:520] = np.roll(counts[500:520], 1, axis=1)
    counts[999, 4] = 9
    return HandBatch.from_columns(counts, *made.columns[1:])


@pytest.fixture(scope="module")
def hands(batch):
    return batch.to_arrow()


@pytest.fixture(scope="module")
def scores(batch):
    return score_batch(batch, fan_counts=True)


def more_columns(rows: int):
    """Columns of many types, with nulls and nested ones among them."""
    numbers = list(range(rows))
    start = datetime.datetime(2020, 1, 1)
    return {
        "id": pa.array(numbers, pa.int64()),
        "note": pa.array([None if i % 3 else f"note {i}" for i in numbers]),
        "word": pa.array([f"w{i % 5}" for i in numbers]).dictionary_encode(),
        "when": pa.array([start + datetime.timedelta(hours=i) for i in numbers]),
        "price": pa.array([None if i % 11 == 0 else i / 7 for i in numbers]),
        "tags": pa.array([None if i % 13 == 0 else [str(i)] * (i % 4) for i in numbers]),
        "deep": pa.array([{"a": [{"b": i}] * (i % 3), "c": None} for i in numbers],
                         pa.struct({"a": pa.list_(pa.struct({"b": pa.int32()})),
                                    "c": pa.string()})),
        "pairs": pa.array([[("k", i)] for i in numbers], pa.map_(pa.string(), pa.int32())),
        "nothing": pa.nulls(rows, pa.int8()),
        "flag": pa.array([i % 2 == 0 for i in numbers]),
    }  # fmt: skip


@pytest.fixture(scope="module")
def wide(hands):
    table = hands
    for name, column in more_columns(ROWS).items():
        table = table.append_column(name, column)
    return table


def groups_of(path: Path, table, sizes) -> Path:
    """A file with row groups of these sizes."""
    with pq.ParquetWriter(path, table.schema) as writer:
        start = 0
        for size in sizes:
            writer.write_table(table[start : start + size], row_group_size=max(size, 1))
            start += size
    assert start == table.num_rows
    return path


def check_pages(path: Path) -> None:
    """Walk over every page: the footer must say what stands there."""
    data = path.read_bytes()
    footer = Footer(path)
    for rows, chunks in footer.groups():
        for chunk in chunks:
            at, values, size = chunk.start, 0, 0
            first = chunk.meta.get(DICTIONARY_PAGE, chunk.meta[DATA_PAGE])[1]
            assert first == chunk.start
            while at < chunk.start + chunk.length:
                reader = Reader(data, at)
                header = reader.struct()
                kind, unpacked, packed = (header[number][1] for number in (1, 2, 3))
                size += reader.at - at + unpacked
                at = reader.at + packed
                if kind != 2:
                    values += header[{0: 5, 3: 8}[kind]][1][1][1]
            assert at == chunk.start + chunk.meta[PACKED][1]
            assert size == chunk.meta[SIZE][1]
            assert values == chunk.meta[VALUES][1] >= rows


def expected_scores(scores, fans="list", names="zh"):
    return scores.to_arrow(fans, names)


# --- columns that are copied


WRITERS = {
    "plain": {"use_dictionary": False, "compression": "none"},
    "defaults": {},
    "zstd": {"compression": "zstd"},
    "gzip": {"compression": "gzip"},
    "brotli": {"compression": "brotli", "use_dictionary": False},
    "lz4": {"compression": "lz4"},
    "second pages": {"data_page_version": "2.0", "data_page_size": 500},
    "small pages": {"data_page_size": 300, "dictionary_pagesize_limit": 200},
    "old": {"version": "1.0", "use_deprecated_int96_timestamps": True},
    "checksums": {"write_page_checksum": True},
    "page index": {"write_page_index": True},
    "no statistics": {"write_statistics": False},
    "no schema": {"store_schema": False},
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("part_rows", [90, 130, 400, 5000])
def test_kept_columns_are_copied(writer, part_rows, wide, scores, tmp_path):
    table = wide
    if writer in ("old", "no schema"):
        table = wide.drop_columns(["word"])
    source = tmp_path / "in.parquet"
    pq.write_table(table, source, row_group_size=130, **WRITERS[writer])
    output = tmp_path / "out.parquet"
    report = score_file(source, output, part_rows=part_rows, threads=2)
    assert (report.rows, report.parts) == (ROWS, -(-ROWS // part_rows))
    before, after = pq.ParquetFile(source), pq.ParquetFile(output)
    assert after.num_row_groups == before.num_row_groups == 8
    found = after.read()
    names = [name for name in table.column_names if name != "word"]
    assert found.select(names).equals(before.read(names))
    if "word" in table.column_names:
        assert found["word"].to_pylist() == table["word"].to_pylist()
        assert found["word"].type == pa.string()
    assert found.select(expected_scores(scores).column_names).equals(expected_scores(scores))
    for column in range(7):
        old = before.metadata.row_group(3).column(column)
        new = after.metadata.row_group(3).column(column)
        assert (old.compression, old.encodings) == (new.compression, new.encodings)
        assert old.total_compressed_size == new.total_compressed_size
        assert not new.has_offset_index
        assert not new.has_column_index
    check_pages(output)
    assert pq.read_table(output, filters=[("id", ">=", 777)])["id"].to_pylist() == list(
        range(777, ROWS)
    )


@pytest.mark.parametrize(
    "sizes", [[ROWS], [1, 999], [0, 400, 0, 0, 600, 0], [250] * 4, [1] * 20 + [980]]
)
def test_row_groups_of_any_size(sizes, wide, scores, tmp_path):
    source = groups_of(tmp_path / "in.parquet", wide, sizes)
    score_file(source, tmp_path / "out.parquet", part_rows=170)
    after = pq.ParquetFile(tmp_path / "out.parquet")
    assert [after.metadata.row_group(n).num_rows for n in range(after.num_row_groups)] == [
        size for size in sizes if size
    ]
    assert after.read(["total", "id"]).to_pydict() == {
        "total": scores.total.tolist(), "id": list(range(ROWS)),
    }  # fmt: skip
    check_pages(tmp_path / "out.parquet")


def test_kept_columns_in_another_order_and_some(wide, scores, tmp_path):
    source = groups_of(tmp_path / "in.parquet", wide, [300, 700])
    keep = ["deep", "win_tile", "note"]
    score_file(source, tmp_path / "out.parquet", keep=keep, fans="mask")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column_names[:3] == keep
    assert found.select(keep).equals(wide.select(keep))
    assert found["fan_mask_1"].to_pylist() == scores.fan_mask[:, 1].tolist()


def test_what_is_said_of_fields_is_kept(hands, tmp_path):
    """Also where another file with the same columns came before."""
    for said in (b"one", b"two"):
        fields = [field.with_metadata({b"said": said}) for field in hands.schema]
        with pa.ipc.new_file(str(tmp_path / "in.arrow"), pa.schema(fields)) as writer:
            writer.write_table(hands.cast(pa.schema(fields)))
        pq.write_table(hands.cast(pa.schema(fields)), tmp_path / "in.parquet")
        for source in ("in.arrow", "in.parquet"):
            score_file(tmp_path / source, tmp_path / "out.parquet", overwrite=True)
            found = pq.read_schema(tmp_path / "out.parquet").field("counts")
            assert found.metadata[b"said"] == said


def test_texts_beside_copied_columns(batch, wide, tmp_path):
    texts = [None if status > 1 else str(batch[i]) for i, status in
             enumerate(score_batch(batch).status.tolist())]  # fmt: skip
    table = wide.select(["id", "tags"]).append_column("hand", pa.array(texts))
    source = groups_of(tmp_path / "in.parquet", table, [300, 700])
    score_file(source, tmp_path / "out.parquet", part_rows=200)
    assert pq.read_table(tmp_path / "out.parquet").select(table.column_names).equals(table)


def test_statistics_of_pieces(hands, scores, tmp_path):
    source = groups_of(tmp_path / "in.parquet", hands, [600, 400])
    score_file(source, tmp_path / "out.parquet", part_rows=70)
    after = pq.ParquetFile(tmp_path / "out.parquet")
    group = after.metadata.row_group(1)
    found = {group.column(n).path_in_schema: group.column(n).statistics for n in range(12)}
    for name in ("total", "base", "status", "wins"):
        column = getattr(scores, name)[600:]
        assert (found[name].min, found[name].max) == (column.min(), column.max())
        assert found[name].null_count == 0


def test_a_directory_of_files_and_into_one(wide, scores, tmp_path):
    (tmp_path / "in").mkdir()
    groups_of(tmp_path / "in" / "a.parquet", wide[:600], [350, 250])
    groups_of(tmp_path / "in" / "b.parquet", wide[600:], [400])
    score_file(tmp_path / "in", tmp_path / "out.parquet", part_rows=300)
    after = pq.ParquetFile(tmp_path / "out.parquet")
    assert after.num_row_groups == 3
    assert after.read(["id", "total"])["total"].to_pylist() == scores.total.tolist()
    score_file(tmp_path / "in", tmp_path / "out", part_rows=300)
    assert pq.read_table(tmp_path / "out").equals(pq.read_table(tmp_path / "out.parquet"))


@pytest.mark.parametrize(
    ("used", "expected"),
    [("none", "UNCOMPRESSED"), ("snappy", "SNAPPY"), ("lz4", "LZ4"), ("zstd", "ZSTD"),
     ("gzip", "ZSTD")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["out.parquet", "out"])
def test_compressed_as_the_input_is(used, expected, name, hands, tmp_path):
    pq.write_table(hands, tmp_path / "in.parquet", compression=used)
    score_file(tmp_path / "in.parquet", tmp_path / name)
    found = tmp_path / name
    group = pq.ParquetFile(found if found.is_file() else next(found.glob("*.parquet")))
    scores = [group.metadata.row_group(0).column(number) for number in range(7, 12)]
    assert {column.compression for column in scores} == {expected}


def test_another_compression_is_written_anew(hands, tmp_path):
    pq.write_table(hands, tmp_path / "in.parquet", compression="snappy")
    assert copied_columns([tmp_path / "in.parquet"], ["counts"], "snappy") is not None
    assert copied_columns([tmp_path / "in.parquet"], ["counts"], "zstd") is None
    score_file(tmp_path / "in.parquet", tmp_path / "out.parquet", compression="zstd")
    group = pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0)
    assert {group.column(n).compression for n in range(group.num_columns)} == {"ZSTD"}
    assert pq.read_table(tmp_path / "out.parquet").select(hands.column_names).equals(hands)


def changed_footer(path: Path, change) -> Path:
    """The file with another footer."""
    footer = Footer(path)
    change(footer.fields)
    data = write_struct(dict(sorted(footer.fields.items())))
    whole = path.read_bytes()[: footer.end] + data + len(data).to_bytes(4, "little") + b"PAR1"
    path.write_bytes(whole)
    return path


def first_chunk(fields):
    return fields[4][1][1][0][1][1][1][0]


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.__setitem__(ENCRYPTION, (STRUCT, {1: (STRUCT, {})})),
        lambda f: f.__setitem__(6, (BINARY, b"parquet-mr version 1.2.8 (build 0)")),
        lambda f: first_chunk(f).__setitem__(1, (BINARY, b"elsewhere.parquet")),
        lambda f: first_chunk(f).__setitem__(8, (STRUCT, {1: (STRUCT, {})})),
        lambda f: first_chunk(f)[3][1].__setitem__(PACKED, (6, 1 << 40)),
        lambda f: first_chunk(f)[3][1].pop(DATA_PAGE),
        lambda f: first_chunk(f).pop(3),
    ],
    ids=["encrypted", "writer", "file", "column", "length", "place", "meta"],
)
def test_unusual_footers_are_not_copied(change, hands, tmp_path):
    source = tmp_path / "in.parquet"
    pq.write_table(hands, source, use_dictionary=False)
    assert copied_columns([source], ["counts"], None) is not None
    changed_footer(source, change)
    assert copied_columns([source], ["counts"], None) is None


def test_extremes_of_no_known_order_are_left_out(hands, tmp_path):
    source = tmp_path / "in.parquet"
    pq.write_table(hands, source)
    changed_footer(source, lambda fields: fields.pop(7))
    score_file(source, tmp_path / "out.parquet")
    group = pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0)
    assert group.column(2).statistics is None
    assert group.column(7).statistics is not None


def test_an_input_that_changes(hands, tmp_path, monkeypatch):
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(hands, source)
    real = dataset.Work.run

    def run(*given):
        real(*given)
        os.utime(source, (1, 1))

    monkeypatch.setattr(dataset.Work, "run", run)
    with pytest.raises(DataError, match="has changed while it was read"):
        score_file(source, output)
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


# --- pages of scores


@pytest.mark.parametrize("fans", ["list", "columns", "mask", "none"])
@pytest.mark.parametrize("compression", ["none", "lz4", "zstd", "snappy"])
def test_pages_hold_the_scores(fans, compression, batch, hands, scores, tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_parquet, "BLOCK_ROWS", 64)
    source = tmp_path / "in.parquet"
    pq.write_table(hands, source, row_group_size=333)
    for names in ("zh", "en", "key") if fans == "list" else ("zh",):
        output = tmp_path / "out.parquet"
        score_file(source, output, fans=fans, names=names, compression=compression,
                   part_rows=210, keep=[], overwrite=True)  # fmt: skip
        assert pq.read_table(output).equals(expected_scores(scores, fans, names))
        check_pages(output)
    assert {0, 1}.isdisjoint(scores.status[[3, 999]].tolist())


@pytest.mark.parametrize("number", [1, 2, 7, 8, 9])
def test_pages_of_few_rows(number, batch, tmp_path):
    part = batch[500 : 500 + number]  # of which none is complete
    pq.write_table(part.to_arrow(), tmp_path / "in.parquet")
    for fans in ("list", "columns", "mask"):
        score_file(tmp_path / "in.parquet", tmp_path / "out.parquet", fans=fans, overwrite=True)
        expected = score_batch(part, fan_counts=True).to_arrow(fans)
        assert (
            pq.read_table(tmp_path / "out.parquet").select(expected.column_names).equals(expected)
        )
    assert Status.NOT_COMPLETE in score_batch(part).status


def test_scores_that_no_dictionary_holds(batch, hands, tmp_path):
    rules = GB98.replace(values={fan.id: 1000 for fan in FANS})
    pq.write_table(hands, tmp_path / "in.parquet", row_group_size=250)
    score_file(tmp_path / "in.parquet", tmp_path / "out.parquet", rules=rules, part_rows=100)
    expected = score_batch(batch, rules=rules, fan_counts=True).to_arrow()
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.select(expected.column_names).equals(expected)
    assert max(found["total"].to_pylist()) > 512


def test_lists_without_counts_and_with(batch):
    """Each fan once, or as often as it counts."""
    once, often = score_batch(batch).to_arrow()["fans"], score_batch(batch, fan_counts=True)
    for row, (few, many) in enumerate(zip(once.to_pylist(), often.to_arrow()["fans"].to_pylist(),
                                          strict=True)):  # fmt: skip
        assert sorted(set(many), key=many.index) == few
        assert len(many) == int(often.fan_counts[row].sum())


# --- columns of hands that are read


def quick(path: Path, columns, rows: int = 64):
    """Columns as they are read without pyarrow, or None."""
    found = []
    try:
        for group in range(pq.ParquetFile(path).num_row_groups):
            found += list(read_hands(path, columns, group, rows))
    except UnusualError:
        return None
    return [np.concatenate(pieces) for pieces in zip(*found, strict=True)]


#: Ways to write that pyarrow alone reads.
SLOW = {"no statistics", "gzip", "brotli", "lz4"}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("required", [False, True])
def test_hands_are_read(writer, required, batch, hands, tmp_path):
    fields = [field.with_nullable(not required) for field in hands.schema]
    table = hands.cast(pa.schema(fields))
    path = tmp_path / "in.parquet"
    pq.write_table(table, path, row_group_size=370, **WRITERS[writer])
    found = quick(path, table.column_names)
    if found is None:
        assert writer in SLOW
        assert not (required and writer == "no statistics")
    else:
        for column, expected in zip(found, batch.columns, strict=True):
            assert np.array_equal(column.reshape(expected.shape), expected)
    score_file(path, tmp_path / "out.parquet")
    scored = pq.read_table(tmp_path / "out.parquet")
    assert scored["total"].to_pylist() == score_batch(batch).total.tolist()
    assert scored.select(hands.column_names).cast(hands.schema).equals(hands)


def test_what_pyarrow_has_to_read(hands, tmp_path):
    numbers = hands["win_tile"].to_pylist()
    numbers[700] = None
    position = hands.column_names.index("win_tile")
    cases = {
        "nulls": (hands.set_column(position, "win_tile", pa.array(numbers, pa.uint8())), {}),
        "differences": (hands, {"use_dictionary": False,
                                "column_encoding": {"win_tile": "DELTA_BINARY_PACKED"}}),
        "large": (hands.set_column(position, "win_tile", hands["win_tile"].cast(pa.int64())), {}),
        "lists": (hands.set_column(0, "counts", pa.array(
            [list(row) for row in hands["counts"].to_pylist()])), {}),
    }  # fmt: skip
    for name, (table, options) in cases.items():
        path = tmp_path / f"{name}.parquet"
        pq.write_table(table, path, row_group_size=300, **options)
        assert quick(path, table.column_names) is None
        score_file(path, tmp_path / "out.parquet", overwrite=True)
        expected = score_batch(HandBatch.from_arrow(table)).total.tolist()
        assert pq.read_table(tmp_path / "out.parquet")["total"].to_pylist() == expected


@pytest.mark.parametrize("moment", [1, 5, 12])
def test_going_on_with_pyarrow(moment, hands, tmp_path, monkeypatch):
    """Wherever the quick reader gives up, no row is lost nor doubled."""
    monkeypatch.setattr(dataset_read, "_ROWS", 64)
    path = tmp_path / "in.parquet"
    pq.write_table(hands, path, row_group_size=400, data_page_size=100)
    real, calls = parquet_hands._Cursor.take, []

    def take(cursor, rows):
        calls.append(rows)
        if len(calls) > 7 * moment - 3:
            raise UnusualError("enough")
        return real(cursor, rows)

    monkeypatch.setattr(parquet_hands._Cursor, "take", take)
    source = dataset_read.open_source(path)
    source.columns = hands.column_names
    starts, batches = zip(*source.batches(0, 300), strict=True)
    assert pa.Table.from_batches(batches).equals(hands)
    assert list(starts) == np.cumsum([0, *(len(b) for b in batches[:-1])]).tolist()
    assert len(calls) == 7 * moment - 2


def test_batches_do_not_depend_on_where_the_reading_begins(wide, tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_read, "_ROWS", 64)
    path = groups_of(tmp_path / "in.parquet", wide, [150, 350, 500])
    for columns in (wide.column_names[:7], wide.column_names):
        source = dataset_read.open_source(path)
        source.columns = columns
        every = [(start, len(batch)) for start, batch in source.batches(0, 100)]
        for first in (1, 149, 150, 499, 500, 999):
            some = [(start, len(batch)) for start, batch in source.batches(first, 100)]
            assert some == every[-len(some) :]
            assert some[0][0] <= first


def test_damaged_pages(hands, tmp_path):
    """Whatever bytes change: what pyarrow reads, or what it says."""
    path = tmp_path / "in.parquet"
    rng = random.Random(95)
    for options in WRITERS.values():
        pq.write_table(hands, path, row_group_size=400, **options)
        whole = path.read_bytes()
        for _ in range(12):
            data = bytearray(whole)
            for _ in range(3):
                data[rng.randrange(len(data))] = rng.randrange(256)
            path.write_bytes(data)
            try:
                report = score_file(path, tmp_path / "out.parquet", overwrite=True)
            except DataError as error:
                assert "\n" not in str(error)
            else:
                # Columns that are copied may be as damaged as they were.
                found = pq.read_table(tmp_path / "out.parquet", columns=["total", "fans"])
                assert report.rows == found.num_rows
                score_file(path, tmp_path / "again.parquet")
                assert (tmp_path / "again.parquet").read_bytes() == (
                    tmp_path / "out.parquet"
                ).read_bytes()
                (tmp_path / "again.parquet").unlink()
            for left in tmp_path.iterdir():
                assert left.name in ("in.parquet", "out.parquet")


@pytest.mark.parametrize("rows", [300, 370, 440])
def test_row_groups_of_another_length_than_is_said(rows, hands, tmp_path):
    """As after damage: our footer is not pyarrow's."""
    path = tmp_path / "in.parquet"
    pq.write_table(hands, path, row_group_size=370)
    copied = copied_columns([path], hands.column_names, None)
    said = [(rows, chunks) for _, chunks in copied.groups]
    changed = Copied(copied.number, copied.elements, copied.orders, said)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataset, "copied_columns", lambda *_: changed)
        with pytest.raises(DataError, match="rows than its row groups are said to have"):
            score_file(path, tmp_path / "out.parquet", part_rows=100)
    assert [file.name for file in tmp_path.iterdir()] == ["in.parquet"]


@pytest.mark.parametrize("codec", ["snappy", "zstd"])
def test_lengths_of_packed_data(codec):
    rng = random.Random(98)
    for length in [
        0,
        1,
        7,
        127,
        128,
        255,
        256,
        257,
        16_383,
        16_384,
        65_535,
        65_791,
        65_792,
        200_000,
    ]:
        for data in (bytes(length), rng.randbytes(length)):
            packed = pa.Codec(codec).compress(data, asbytes=True)
            assert parquet_hands._unpacked_size(codec, packed[:18]) == length
    with pytest.raises(UnusualError):
        parquet_hands._Cursor._unpacked(
            SimpleNamespace(codec=pa.Codec(codec)), memoryview(packed), length + 6
        )


def test_indices_of_damaged_pages_lead_nowhere():
    from fastmj.kernels.look_up import look_up

    rng = np.random.default_rng(96)
    dictionary = rng.integers(0, 256, (11, 5), np.uint8)
    out = np.zeros((40, 5), np.uint8)
    known = {row.tobytes() for row in dictionary} | {bytes(5)}
    for _ in range(2000):
        out[:] = 0
        data = rng.integers(0, 256, rng.integers(0, 30), np.uint8)
        look_up(data, int(rng.integers(0, 33)), dictionary, out)
        assert {row.tobytes() for row in out} <= known


@pytest.mark.parametrize("width", [0, 1, 3, 7, 8, 9, 13, 17])
def test_indices(width):
    """Runs and packed numbers in turn, against numbers written one bit at a time."""
    from fastmj.kernels.look_up import look_up

    rng = np.random.default_rng(width)
    entries = min(1 << width, 300)
    dictionary = rng.integers(0, 256, (entries, 2), np.uint8)
    expected: list[int] = []
    data = bytearray()
    for turn in range(9):
        if turn % 2:
            values = [int(rng.integers(entries))] * int(rng.integers(1, 200))
            header = len(values) << 1
            body = values[0].to_bytes(-(-width // 8), "little")
        else:
            values = rng.integers(0, entries, 8 * int(rng.integers(1, 20))).tolist()
            header = len(values) // 8 << 1 | 1
            bits = sum(value << width * i for i, value in enumerate(values))
            body = bits.to_bytes(len(values) * width // 8, "little")
        while header > 127:
            data.append(header & 127 | 128)
            header >>= 7
        data.append(header)
        data += body
        expected += values
    out = np.zeros((len(expected) - 3, 2), np.uint8)
    assert look_up(np.frombuffer(data, np.uint8), width, dictionary, out)
    assert np.array_equal(out, dictionary[expected[:-3]])
    more = np.zeros((len(expected) + 9, 2), np.uint8)
    assert not look_up(np.frombuffer(data, np.uint8), width, dictionary, more)


# --- footers


def test_footers_are_written_as_they_were_read(wide, tmp_path):
    for number, options in enumerate(WRITERS.values()):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(wide.drop_columns(["word"]), path, row_group_size=400, **options)
        footer = Footer(path)
        data = path.read_bytes()[footer.end : -8]
        assert write_struct(footer.fields) == data
        assert write_struct(read_struct(data)) == data
        assert footer.leaves == pq.ParquetFile(path).metadata.num_columns


def test_damaged_footers(wide, tmp_path):
    """An error, whatever is cut off or changed; never a hang, nor too deep a stack."""
    pq.write_table(wide, tmp_path / "in.parquet")
    footer = Footer(tmp_path / "in.parquet")
    data = (tmp_path / "in.parquet").read_bytes()[footer.end : -8]
    for length in range(0, len(data), 7):
        with pytest.raises((ValueError, IndexError)):
            read_struct(data[:length])
    rng = random.Random(97)
    for _ in range(1000):
        changed = bytearray(data)
        for _ in range(3):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        with contextlib.suppress(ValueError, IndexError):
            read_struct(bytes(changed))
    with pytest.raises(ValueError, match="too deep"):
        read_struct(b"\x1c" * 1000)
