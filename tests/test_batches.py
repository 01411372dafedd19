"""Columns of many hands: what is taken, refused, copied and kept."""

from __future__ import annotations

import array
import contextlib
import copy
import pickle

import numpy as np
import pytest

from fastmj import (
    Hand,
    HandBatch,
    InvalidHand,
    Meld,
    Status,
    parse_hand,
    random_wins,
    score_batch,
    score_hand,
    validate,
)

TEXTS = (
    "123456789m12355p",
    "[EEE][1111m][2222p,1]789s5m5m|SW1010|3",
    "19m19p19sESWNCFPP|NN0000|8",
    "[123m,3]123456789p9s9s",
)
NAMES = (
    "counts",
    "melds",
    "win_tile",
    "circumstances",
    "seat_wind",
    "prevalent_wind",
    "flowers",
)
PER_ROW = ("win_tile", "seat_wind", "prevalent_wind", "flowers")
FLAGS = ("self_drawn", "last_of_kind", "last_tile", "kong")


@pytest.fixture(scope="module")
def corpus() -> HandBatch:
    return random_wins(40, seed=11)


def columns_of(batch: HandBatch) -> dict[str, np.ndarray]:
    """Writable copies of the columns that the constructor takes by name."""
    return {
        name: getattr(batch, name).copy()
        for name in ("counts", "melds", "win_tile", "seat_wind", "prevalent_wind", "flowers")
    }


def build(batch: HandBatch, **changes: object) -> HandBatch:
    given = {**columns_of(batch), **changes}
    return HandBatch(given.pop("counts"), **given)


class ArrayLike:
    """Gives numpy an array and is nothing else, as a tensor of another library."""

    def __init__(self, values: np.ndarray):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


# --- wrong shapes and types


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param(lambda c: c[0], id="one row, 1-d"),
        pytest.param(lambda c: c[None], id="3-d"),
        pytest.param(lambda c: np.uint8(3), id="0-d"),
        pytest.param(lambda c: c[:, :33], id="33 columns"),
        pytest.param(lambda c: np.hstack([c, c[:, :1]]), id="35 columns"),
        pytest.param(lambda c: c.T, id="rows and columns exchanged"),
        pytest.param(lambda c: c.ravel(), id="flat"),
        pytest.param(lambda c: [[1] * 34, [1] * 33], id="ragged"),
        pytest.param(lambda c: [[]], id="one row of nothing"),
        pytest.param(lambda c: np.zeros((0, 33), np.uint8), id="empty, 33 columns"),
        pytest.param(lambda c: np.zeros((7, 0), np.uint8), id="rows without columns"),
        pytest.param(lambda c: np.zeros((0, 34, 1), np.uint8), id="empty, 3-d"),
    ],
)
def test_counts_of_a_wrong_shape_are_refused(corpus, counts):
    with pytest.raises(ValueError, match="counts"):
        HandBatch(counts(corpus.counts), win_tile=0)


WRONG_TYPES = [
    pytest.param(lambda a: a.astype(np.float64), id="float64"),
    pytest.param(lambda a: a.astype(np.float32), id="float32"),
    pytest.param(lambda a: a.astype(np.float16), id="float16"),
    pytest.param(lambda a: np.full(a.shape, np.nan), id="nan"),
    pytest.param(lambda a: np.full(a.shape, np.inf), id="inf"),
    pytest.param(lambda a: a.astype(complex), id="complex"),
    pytest.param(lambda a: a.astype(object), id="object"),
    pytest.param(lambda a: np.full(a.shape, None), id="None inside"),
    pytest.param(lambda a: a.astype(str), id="strings"),
    pytest.param(lambda a: a.astype("S3"), id="bytes"),
    pytest.param(lambda a: a.astype("M8[s]"), id="dates"),
    pytest.param(lambda a: a.astype("m8[s]"), id="time spans"),
    pytest.param(lambda a: np.zeros(a.shape, "V1"), id="void"),
    pytest.param(lambda a: np.zeros(a.shape, [("x", "u1")]), id="records"),
    pytest.param(lambda a: np.full(a.shape, 2**70, object), id="beyond 64 bits"),
]


@pytest.mark.parametrize("change", WRONG_TYPES)
@pytest.mark.parametrize("name", ["counts", "melds", *PER_ROW, *FLAGS])
def test_anything_but_whole_numbers_is_refused(corpus, name, change):
    values = getattr(corpus, name) if name in NAMES else np.zeros(len(corpus), np.uint8)
    with pytest.raises(TypeError, match=f"{name} must hold whole numbers"):
        build(corpus, **{name: change(values)})


@pytest.mark.parametrize("value", [1.0, np.nan, "E", b"1", None, 1j, 2**80, object()])
@pytest.mark.parametrize("name", [*PER_ROW, *FLAGS])
def test_scalars_that_are_no_whole_numbers_are_refused(corpus, name, value):
    with pytest.raises(TypeError, match=name):
        build(corpus, **{name: value})


@pytest.mark.parametrize("name", [*PER_ROW, *FLAGS])
def test_columns_of_a_wrong_length_are_refused(corpus, name):
    length = len(corpus)
    for shape in ((length - 1,), (length + 1,), (1,), (0,), (length, 1), (1, length)):
        with pytest.raises(ValueError, match=name):
            build(corpus, **{name: np.zeros(shape, np.uint8)})


def test_melds_of_a_wrong_shape_are_refused(corpus):
    length = len(corpus)
    for shape in ((), (4,), (length,), (length, 3), (length, 5), (length - 1, 4), (length, 4, 1)):
        with pytest.raises(ValueError, match="melds"):
            build(corpus, melds=np.zeros(shape, np.uint8))


def test_the_winning_tile_has_to_be_given(corpus):
    with pytest.raises(TypeError, match="win_tile"):
        HandBatch(corpus.counts)


def test_only_counts_may_be_positional(corpus):
    with pytest.raises(TypeError):
        HandBatch(corpus.counts, corpus.melds, corpus.win_tile)


# --- what is taken


def test_scalars_stand_for_every_row(corpus):
    batch = HandBatch(
        corpus.counts,
        win_tile=3,
        self_drawn=True,
        last_of_kind=1,
        last_tile=np.bool_(True),
        kong=np.array(1),
        seat_wind=np.int64(2),
        prevalent_wind=np.array(3),
        flowers=7,
    )
    length = len(corpus)
    assert batch.win_tile.tolist() == [3] * length
    assert batch.circumstances.tolist() == [15] * length
    assert batch.seat_wind.tolist() == [2] * length
    assert batch.prevalent_wind.tolist() == [3] * length
    assert batch.flowers.tolist() == [7] * length
    assert not batch.melds.any()


def test_defaults_are_a_plain_discard_in_the_east(corpus):
    batch = HandBatch(corpus.counts, win_tile=corpus.win_tile)
    for name in ("melds", "circumstances", "seat_wind", "prevalent_wind", "flowers"):
        assert not getattr(batch, name).any()


def test_each_circumstance_has_its_bit(corpus):
    for position, name in enumerate(FLAGS):
        flags = np.arange(len(corpus)) % 2
        batch = build(corpus, **{name: flags})
        assert batch.circumstances.tolist() == (flags << position).tolist(), name
        assert batch == build(corpus, **{name: flags.astype(bool)})
        assert batch == build(corpus, **{name: flags.tolist()})


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("value", [2, 3, 255, 256, 257, -1, 2**40])
def test_a_circumstance_that_is_neither_true_nor_false_is_judged_by_status(corpus, name, value):
    batch = build(corpus, **{name: value})
    assert (validate(batch) & 1 << Status.BAD_CIRCUMSTANCES).all()
    assert (score_batch(batch).status == Status.BAD_CIRCUMSTANCES).all()


WIDTHS = (np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64, ">i4", ">u2")


@pytest.mark.parametrize("dtype", WIDTHS)
def test_whole_numbers_of_any_width_are_the_same(corpus, dtype):
    columns = {name: column.astype(dtype) for name, column in columns_of(corpus).items()}
    # Meld codes pass 127, which the narrowest type cannot hold.
    columns["melds"] = corpus.melds.astype(np.int16 if dtype is np.int8 else dtype)
    assert build(corpus, **columns) == build(corpus)


def test_bools_are_numbers(corpus):
    one_of_each = np.zeros((3, 34), bool)
    one_of_each[:, [0, 8, 9, 17, 18, 26, *range(27, 34)]] = True
    batch = HandBatch(one_of_each, win_tile=0)
    assert batch.counts.dtype == np.uint8
    assert batch == HandBatch(one_of_each.astype(int), win_tile=0)
    assert batch == HandBatch(np.asfortranarray(one_of_each), win_tile=0)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (np.int8, [-1, -128, -7]),
        (np.int16, [-1, 256, 260, 32767]),
        (np.int32, [-1, 256, 512, 2**31 - 1]),
        (np.int64, [-256, 256, 2**32, -(2**63)]),
        (np.uint64, [256, 2**32, 2**63, 2**64 - 1]),
    ],
)
def test_numbers_outside_a_byte_are_kept_as_impossible_ones(corpus, dtype, values):
    """They must not come back as possible ones by losing their high bits."""
    plain = build(corpus)
    for value in values:
        for name in ("counts", "melds", *PER_ROW):
            column = getattr(plain, name).astype(dtype)
            where = (5, 0) if column.ndim == 2 else 5
            column[where] = value
            batch = build(corpus, **{name: column})
            assert getattr(batch, name)[where] == 255, (name, value)
            found = score_batch(batch).status
            assert Status(found[5]).is_invalid, (name, value)
            others = np.arange(len(corpus)) != 5
            if name == "melds" and dtype is np.int8:
                continue  # int8 has changed the other rows' codes too
            assert np.array_equal(found[others], score_batch(plain).status[others])


def test_lists_tuples_and_other_carriers_of_numbers(corpus):
    plain = build(corpus)
    assert plain == build(
        corpus, **{name: column.tolist() for name, column in columns_of(corpus).items()}
    )
    assert plain == build(
        corpus,
        counts=tuple(map(tuple, corpus.counts.tolist())),
        win_tile=array.array("B", corpus.win_tile.tolist()),
        seat_wind=memoryview(corpus.seat_wind),
    )
    assert plain == build(
        corpus, **{name: ArrayLike(column) for name, column in columns_of(corpus).items()}
    )


def test_an_array_like_of_floats_is_refused(corpus):
    with pytest.raises(TypeError, match="counts"):
        build(corpus, counts=ArrayLike(corpus.counts.astype(float)))


def test_array_subclasses_become_plain_arrays(corpus):
    class Tagged(np.ndarray):
        def __array_finalize__(self, source):
            self.tag = getattr(source, "tag", None)

    batch = build(
        corpus, counts=corpus.counts.copy().view(Tagged), win_tile=corpus.win_tile.view(Tagged)
    )
    assert all(type(column) is np.ndarray for column in batch.columns)
    assert batch == build(corpus)


# --- copies, contiguity, arguments


def test_contiguous_bytes_are_not_copied(corpus):
    given = columns_of(corpus)
    batch = build(corpus, **given)
    for name, column in given.items():
        assert np.shares_memory(column, getattr(batch, name)), name


def test_read_only_bytes_are_not_copied(corpus):
    given = columns_of(corpus)
    for column in given.values():
        column.flags.writeable = False
    batch = build(corpus, **given)
    for name, column in given.items():
        assert np.shares_memory(column, getattr(batch, name)), name


def test_a_slice_of_rows_is_not_copied(corpus):
    part = corpus[10:20]
    assert len(part) == 10
    for name in NAMES:
        assert np.shares_memory(getattr(part, name), getattr(corpus, name)), name


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param(np.asfortranarray, id="Fortran order"),
        pytest.param(lambda a: np.repeat(a, 2, axis=0)[::2], id="every second row"),
        pytest.param(lambda a: a[::-1].copy()[::-1], id="backwards"),
        pytest.param(lambda a: np.ascontiguousarray(a.T).T, id="transposed"),
        pytest.param(lambda a: np.hstack([a, a])[:, : a.shape[1]] if a.ndim > 1 else a, id="inner"),
        pytest.param(lambda a: np.repeat(a, 3, axis=-1)[..., ::3], id="every third column"),
        pytest.param(lambda a: a.astype(np.int64)[..., ::1][::1], id="wide"),
        pytest.param(
            lambda a: np.lib.stride_tricks.as_strided(a, a.shape, a.strides), id="strided"
        ),
    ],
)
def test_layout_does_not_matter(corpus, layout):
    given = {name: layout(column) for name, column in columns_of(corpus).items()}
    before = {name: column.copy() for name, column in given.items()}
    batch = build(corpus, **given)
    assert batch == build(corpus)
    assert np.array_equal(score_batch(batch).total, score_batch(build(corpus)).total)
    for name, column in given.items():
        assert np.array_equal(column, before[name]), name


def test_one_row_stretched_over_a_batch(corpus):
    counts = np.broadcast_to(corpus.counts[0], (5, 34))
    batch = HandBatch(counts, win_tile=np.broadcast_to(corpus.win_tile[0], (5,)))
    assert batch == HandBatch(np.repeat(corpus.counts[:1], 5, axis=0), win_tile=corpus.win_tile[0])


@pytest.mark.parametrize("mode", ["r", "r+", "c", "w+"])
def test_memory_mapped_arrays(tmp_path, corpus, mode):
    file = tmp_path / "counts.bin"
    corpus.counts.tofile(file)
    mapped = np.memmap(file, np.uint8, mode=mode, shape=corpus.counts.shape)
    if mode == "w+":
        mapped[:] = corpus.counts
    batch = HandBatch(mapped, melds=corpus.melds, win_tile=corpus.win_tile)
    plain = HandBatch(corpus.counts, melds=corpus.melds, win_tile=corpus.win_tile)
    assert batch == plain
    assert np.shares_memory(batch.counts, mapped)
    assert type(batch.counts) is np.ndarray
    assert np.array_equal(score_batch(batch).total, score_batch(plain).total)
    assert np.array_equal(np.fromfile(file, np.uint8), corpus.counts.ravel())


@pytest.mark.parametrize("offset", [*range(9), 15, 31, 33, 63])
def test_columns_that_begin_anywhere(corpus, offset):
    """Views into a buffer, as they come from a network or a file with a header."""
    columns = []
    for column in corpus.columns:
        buffer = bytes(offset) + column.tobytes()
        columns.append(np.frombuffer(buffer, np.uint8, offset=offset).reshape(column.shape))
    batch = HandBatch.from_columns(*columns)
    assert np.shares_memory(batch.counts, columns[0])
    assert np.array_equal(score_batch(batch).total, score_batch(corpus).total)
    assert np.array_equal(validate(batch), validate(corpus))


def test_nothing_is_read_behind_the_last_row(tmp_path):
    """2048 rows fill whole pages of memory: the next byte would not be there."""
    batch = random_wins(2048, seed=12)
    columns = []
    for name in NAMES:
        file = tmp_path / name
        getattr(batch, name).tofile(file)
        columns.append(np.memmap(file, np.uint8, mode="r", shape=getattr(batch, name).shape))
    mapped = HandBatch.from_columns(*columns)
    assert np.array_equal(score_batch(mapped).total, score_batch(batch).total)
    assert not validate(mapped).any()


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_arrays_loaded_memory_mapped(tmp_path, corpus, mode):
    for name in NAMES:
        np.save(tmp_path / f"{name}.npy", getattr(corpus, name))
    loaded = [np.load(tmp_path / f"{name}.npy", mmap_mode=mode) for name in NAMES]
    batch = HandBatch.from_columns(*loaded)
    assert batch == corpus
    assert all(
        np.shares_memory(one, other) for one, other in zip(loaded, batch.columns, strict=True)
    )
    assert np.array_equal(score_batch(batch).total, score_batch(corpus).total)


def test_arguments_are_never_changed(corpus):
    given = columns_of(corpus) | {name: np.ones(len(corpus), np.uint8) for name in FLAGS}
    given["seat_wind"][3] = 77
    given["counts"][4, 4] = 200
    before = {name: column.copy() for name, column in given.items()}
    batch = build(corpus, **given)
    validate(batch)
    score_batch(batch, fan_counts=True)
    for index in range(len(batch)):
        with contextlib.suppress(InvalidHand):
            score_hand(batch[index])
    for name, column in given.items():
        assert np.array_equal(column, before[name]), name
        assert column.flags.writeable, name


def test_columns_are_read_only_bytes_in_rows(corpus):
    for batch in (corpus, build(corpus), corpus[::2], corpus[[1, 1]], HandBatch.from_hands(TEXTS)):
        for name in NAMES:
            column = getattr(batch, name)
            assert column.dtype == np.uint8
            assert column.flags.c_contiguous
            assert not column.flags.writeable, name
            with pytest.raises(ValueError, match="read-only"):
                column[...] = 0


# --- nothing


@pytest.mark.parametrize(
    "empty",
    [
        pytest.param(lambda: HandBatch([], win_tile=[]), id="lists"),
        pytest.param(lambda: HandBatch(np.zeros((0, 34), np.uint8), win_tile=[]), id="no rows"),
        pytest.param(lambda: HandBatch(np.zeros((0, 34)), win_tile=0), id="no floats"),
        pytest.param(
            lambda: HandBatch([], melds=np.zeros((0, 4), int), win_tile=0, kong=[]), id="melds"
        ),
        pytest.param(lambda: HandBatch.from_hands([]), id="no hands"),
        pytest.param(lambda: HandBatch.concat([]), id="no batches"),
        pytest.param(lambda: random_wins(5, seed=1)[:0], id="slice"),
        pytest.param(lambda: random_wins(5, seed=1)[[]], id="no index"),
        pytest.param(lambda: random_wins(5, seed=1)[np.zeros(5, bool)], id="no mask"),
        pytest.param(lambda: random_wins(0, seed=1), id="no random hands"),
    ],
)
def test_a_batch_of_none(empty):
    batch = empty()
    assert len(batch) == 0
    assert list(batch) == []
    assert batch.counts.shape == (0, 34)
    assert batch.melds.shape == (0, 4)
    assert batch == HandBatch.from_hands([])
    assert validate(batch).shape == (0,)
    scores = score_batch(batch, fan_counts=True)
    assert len(scores) == 0
    assert scores.fan_mask.shape == (0, 2)
    assert scores.fan_counts.shape == (0, 82)
    assert scores.total.dtype == np.int16
    with pytest.raises(IndexError):
        _ = batch[0]


# --- rows and hands


def test_hands_come_back_as_they_went_in(corpus):
    assert HandBatch.from_hands(list(corpus)) == corpus
    for index, hand in enumerate(corpus):
        assert hand == corpus[index] == corpus[index - len(corpus)]
        assert HandBatch.from_hands([hand]) == corpus[index : index + 1]


def test_a_hand_has_the_columns_of_its_row():
    batch = HandBatch.from_hands([TEXTS[1]])
    counts = np.zeros(34, int)
    counts[[24, 25, 26]] = 1
    counts[4] = 2
    assert batch.counts[0].tolist() == counts.tolist()
    assert batch.melds[0].tolist() == [1 + 34 + 27, 1 + 3 * 34 + 0, 1 + 2 * 34 + 10, 0]
    assert batch.win_tile.tolist() == [4]
    assert batch.circumstances.tolist() == [1 | 4]
    assert (batch.prevalent_wind.tolist(), batch.seat_wind.tolist()) == ([1], [2])
    assert batch.flowers.tolist() == [3]
    hand = batch[0]
    assert isinstance(hand, Hand)
    assert hand == parse_hand(TEXTS[1])
    assert str(hand) == "[EEE][1111m][2222p,1]5m789s5m|SW1010|3"


def test_texts_and_hands_mix():
    mixed = [TEXTS[0], parse_hand(TEXTS[1]), *TEXTS[2:]]
    batch = HandBatch.from_hands(mixed)
    assert list(batch) == [parse_hand(text) for text in TEXTS]
    assert batch == HandBatch.from_hands(iter(mixed)) == HandBatch.from_hands(tuple(mixed))


def test_one_text_is_a_batch_of_one():
    assert list(HandBatch.from_hands(TEXTS[0])) == [parse_hand(TEXTS[0])]


def test_a_bad_text_is_named_by_its_position():
    with pytest.raises(InvalidHand, match=r"^hand 2: .*is no tile") as caught:
        HandBatch.from_hands([TEXTS[0], parse_hand(TEXTS[1]), "123x", TEXTS[3]])
    assert caught.value.status == Status.BAD_TILE
    with pytest.raises(InvalidHand, match=r"^hand 0: .*winning tile left out") as caught:
        HandBatch.from_hands("123456789m1235p")
    assert caught.value.status == Status.TILE_COUNT


@pytest.mark.parametrize("thing", [None, 5, [5], [None], [b"123"], [["1m"]]])
def test_things_that_are_no_hands_are_refused(thing):
    with pytest.raises(TypeError):
        HandBatch.from_hands(thing)


def test_impossible_rows_are_kept_and_refused_one_by_one(corpus):
    batch = build(corpus, win_tile=np.where(np.arange(len(corpus)) == 7, 99, corpus.win_tile))
    assert batch.win_tile[7] == 99
    assert batch[6] is not None
    with pytest.raises(InvalidHand):
        _ = batch[7]
    with pytest.raises(InvalidHand):
        list(batch)


def test_gaps_between_melds_do_not_matter():
    hand = parse_hand("[EEE][123m]456p7899s9s")
    codes = [meld.code for meld in hand.melds]
    for places in ([0, 3], [1, 2], [3, 1], [2, 0]):
        melds = np.zeros((1, 4), np.uint8)
        melds[0, places] = codes
        counts = np.array([hand.counts])
        batch = HandBatch(counts, melds=melds, win_tile=hand.win_tile)
        assert sorted(meld.code for meld in batch[0].melds) == sorted(codes)
        assert score_batch(batch).total[0] == score_hand(hand).total


# --- indexing


def test_negative_indices_and_ends(corpus):
    length = len(corpus)
    assert corpus[-1] == corpus[length - 1]
    assert corpus[-length] == corpus[0]
    assert corpus[np.int64(-2)] == corpus[length - 2]
    assert corpus[np.uint8(3)] == corpus[3]
    for index in (length, -length - 1, 10**9, np.int64(length)):
        with pytest.raises(IndexError):
            _ = corpus[index]


@pytest.mark.parametrize(
    "which",
    [
        slice(None),
        slice(3, 9),
        slice(-5, None),
        slice(None, None, 3),
        slice(None, None, -1),
        slice(30, 2, -4),
        slice(100, 200),
    ],
)
def test_slices_are_those_of_a_list(corpus, which):
    part = corpus[which]
    assert isinstance(part, HandBatch)
    assert list(part) == list(corpus)[which]


def test_index_arrays_choose_repeat_and_reorder(corpus):
    hands = list(corpus)
    for chosen in ([0], [5, 5, 5], [-1, 0, 7], list(range(len(corpus)))[::-1]):
        expected = [hands[i] for i in chosen]
        for kind in (list, tuple, np.array, lambda c: np.array(c, np.int8)):
            assert list(corpus[kind(chosen)]) == expected
    assert list(corpus[range(3)]) == hands[:3]
    with pytest.raises(IndexError):
        _ = corpus[[len(corpus)]]


def test_boolean_arrays_choose(corpus):
    odd = np.arange(len(corpus)) % 2 == 1
    hands = list(corpus)
    assert list(corpus[odd]) == hands[1::2]
    assert list(corpus[odd.tolist()]) == hands[1::2]
    assert corpus[np.ones(len(corpus), bool)] == corpus
    for wrong in (odd[:-1], np.append(odd, True)):
        with pytest.raises(IndexError):
            _ = corpus[wrong]


@pytest.mark.parametrize("index", [1.0, "0", None, ..., [0.5], (slice(None), 3), object()])
def test_other_indices_are_refused(corpus, index):
    with pytest.raises((IndexError, TypeError)):
        _ = corpus[index]


def test_an_index_of_no_dimension_is_a_row(corpus):
    assert corpus[np.array(3)] == corpus[3]


def test_concat_keeps_the_order(corpus):
    parts = [corpus[:7], corpus[7:7], corpus[7:30], corpus[30:]]
    assert HandBatch.concat(parts) == corpus
    assert HandBatch.concat([corpus]) == corpus
    twice = HandBatch.concat((corpus, corpus))
    assert len(twice) == 2 * len(corpus)
    assert list(twice) == list(corpus) * 2


def test_concat_of_an_empty_iterator(corpus):
    assert HandBatch.concat(iter([corpus, corpus])) == HandBatch.concat([corpus, corpus])
    assert len(HandBatch.concat(iter([]))) == 0


def test_batches_are_iterable_more_than_once(corpus):
    assert list(corpus) == list(corpus)
    assert [hand.win_tile for hand in corpus] == corpus.win_tile.tolist()


def test_equality_looks_at_every_column(corpus):
    assert corpus == build(corpus, **{name: flag_of(corpus, name) for name in FLAGS})
    assert corpus != corpus[:-1]
    assert corpus != corpus[::-1]
    assert corpus != "a batch"
    assert (corpus == 5) is False
    for name in NAMES:
        changed = [getattr(corpus, other).copy() for other in NAMES]
        changed[NAMES.index(name)][3] += 1
        assert HandBatch.from_columns(*changed) != corpus, name
    with pytest.raises(TypeError, match="unhashable"):
        hash(corpus)


def flag_of(batch: HandBatch, name: str) -> np.ndarray:
    return batch.circumstances >> FLAGS.index(name) & 1


def test_repr_says_how_many():
    assert repr(random_wins(1234, seed=1)) == "<HandBatch of 1,234 hands>"


def test_columns_round_trip(corpus):
    assert HandBatch.from_columns(*corpus.columns) == corpus
    assert all(
        column is getattr(corpus, name) for column, name in zip(corpus.columns, NAMES, strict=True)
    )


# --- travelling between processes


def test_batches_and_hands_survive_pickling(corpus):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(corpus, protocol)) == corpus
        hand = corpus[1]
        score_hand(hand)
        assert pickle.loads(pickle.dumps(hand, protocol)) == hand
    assert copy.copy(corpus) == corpus
    assert copy.deepcopy(corpus) == corpus


@pytest.mark.parametrize("travel", [lambda b: pickle.loads(pickle.dumps(b)), copy.deepcopy])
def test_columns_stay_read_only_when_pickled(corpus, travel):
    assert not any(column.flags.writeable for column in travel(corpus).columns)


def test_a_scored_hand_travels_without_its_row(corpus):
    hand = corpus[1]
    fresh = len(pickle.dumps(hand))
    score_hand(hand)
    assert len(pickle.dumps(hand)) == fresh


def test_melds_of_a_batch_are_melds(corpus):
    for hand in corpus:
        assert all(isinstance(meld, Meld) for meld in hand.melds)
