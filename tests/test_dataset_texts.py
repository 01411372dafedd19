"""Hand texts read in bulk mean what ``parse_hand`` makes of them, whatever they are."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from fastmj import HandBatch, InvalidHand, Status, parse_hand, parse_hands, random_wins
from fastmj.hands.texts import _wide
from fastmj.kernels import text as kernels

pa = pytest.importorskip("pyarrow")

ALPHABET = "0123456789mpszESWNCFP[],|abcdefghi \t_\r\n+-東发中🀄🀇🀢\ufe0f\u30001万筒索三１ｍ［｜"
ODD = (
    "", " ", "|", "||", "|||", "[", "]", "[]", "[,]", "123456789m12355p|", "123456789m12355p||",
    "123456789m12355p|ES", "123456789m12355p|E", "123456789m12355p|ES1", "123456789m12355p|1000",
    "123456789m12355p|11111", "123456789m12355p|ES10000", "123456789m12355p||8",
    "123456789m12355p||9", "123456789m12355p||08", "123456789m12355p||abh", "123456789m12355p||aa",
    "123456789m12355p||ai", "123456789m12355p|NW0000|1|", " 123456789m 12355p | ES ",
    "12[345m]3456789m55p", "[345m,4]123456789m55p", "[333m,5]123456789p55s",
    "[3333m,5]123456789p55s", "[333m,1]123456789p55s", "[3333m]123456789p55s|EE1001",
    "[354m,3]123456789p55s", "[344m]123456789p55s", "[EEE][SSS][WWW][NNN][CCC]55s",
    "[EEE][SSS][WWW][NNN]55s", "[89mE]123456789p55s", "[ESW]123456789p55s", "[89m1p]123456789p55s",
    "123456789m12355z", "[555z][666z,2][7777z,6]123m4z4z|SN0100|abc", "0m23456789m12355p",
    "1" * 30 + "m", "m", "1", "1E", "123456789m12355p\r", "123456789m12355p\n",
    "\t123456789m12355p",
    "123456789m12355p # no comment", "[123m,1][5555p]456s78s99m9s|EE1000|2", "🀇🀈🀉🀊🀋🀌🀍🀎🀏🀙🀚🀛🀝🀝",
    "一二三", "123456789m123pFF|東南", "123456789m12355p|东南1000|🀢🀣", "123456789m12355p|||",
    "12345万6789m12355筒", "１２３４５６７８９ｍ１２３５５ｐ", "[一二三万]4567索89条12355饼",
    "［１２３ｍ，１］［五五五五餅］456s78s99m9s｜EE1000｜2", "一萬一萬二万三万123456條東東東中",
    "123456789m12355p ab", "a123456789m12355p", "123456789m12355pabcdefgh", "123456789m12355paa",
    "12a3456789m12355p", "123456789m12355pa|ES1000", "123456789m12355pa|ES1000|",
    "123456789m12355pa||b", "123456789m12355p🀢🀣", "123456789m12355pa🀢", "123456789m12355p||a🀣",
    "[123ma]456789m12355p", "123456789m12355pi", "123456789m12355p万", "万123456789m12355p",
    "123456789m12355p|東Ｓ1", "123456789m12355p\u3000|ES", "123456789m12355p\u4e01", "１", "万",
    "8z123456789m1235p", "9z123456789m1235p", "123456789m1235p0z", "[0z0z0z]123456789m55p",
)  # fmt: skip


def mutated(number: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    texts = [str(hand) for hand in random_wins(500, seed=seed)]
    found = []
    for _ in range(number):
        text = list(rng.choice(texts))
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            at = rng.randrange(len(text))
            change = rng.random()
            if change < 0.35:
                text.insert(at, rng.choice(ALPHABET))
            elif change < 0.55 and len(text) > 1:
                text.pop(at)
            elif change < 0.85:
                text[at] = rng.choice(ALPHABET)
            else:
                other = rng.randrange(len(text))
                text[at], text[other] = text[other], text[at]
        found.append("".join(text))
    return found


def check(texts, honors="chinese"):
    """Compare with ``parse_hand`` one by one; return how many are good."""
    parsed = parse_hands(texts, honors=honors)
    bad = {
        row: (status, message)
        for row, status, message in zip(
            parsed.bad.tolist(), parsed.statuses.tolist(), parsed.messages, strict=True
        )
    }
    good = 0
    for row, text in enumerate(texts):
        try:
            hand = parse_hand(text, honors)
        except InvalidHand as error:
            assert bad[row] == (error.status, str(error)), text
            assert not any(column[row].any() for column in parsed.batch.columns), text
        else:
            assert row not in bad, text
            assert parsed.batch[row : row + 1] == HandBatch.from_hands([hand]), text
            good += 1
    return good


def test_plain_texts_come_back():
    batch = random_wins(5000, seed=70)
    parsed = parse_hands([str(hand) for hand in batch])
    assert parsed.batch == batch
    assert len(parsed.bad) == 0
    assert len(parsed) == 5000


@pytest.mark.parametrize("honors", ["chinese", "riichi"])
def test_changed_texts(honors):
    good = check(mutated(2500, 71), honors)
    assert 300 < good < 2200


@pytest.mark.parametrize("honors", ["chinese", "riichi"])
def test_odd_texts(honors):
    assert check(list(ODD), honors) > 5


def test_noise():
    rng = random.Random(72)
    check(["".join(rng.choices("123456789mpsE[]|,10", k=rng.randrange(24))) for _ in range(1500)])


@pytest.mark.skipif(not hasattr(kernels.read_texts, "py_func"), reason="nothing is compiled")
def test_the_kernel_without_compiling(monkeypatch):
    texts = [*mutated(600, 73), *ODD]
    array = pa.array(texts)
    offsets = np.frombuffer(array.buffers()[1], np.int32).astype(np.int64)
    dragons = np.array([255, 27, 28, 29, 30, 31, 32, 33, *[255] * 8], np.uint8)

    def run():
        data = np.frombuffer(array.buffers()[2], np.uint8)
        written = np.empty_like(data)
        kernels.plain_texts(data, offsets, _wide(), written, 0, len(texts))
        columns = [np.zeros((len(texts), 34), np.uint8), np.zeros((len(texts), 4), np.uint8)]
        columns += [np.zeros(len(texts), np.uint8) for _ in range(5)]
        columns.append(np.zeros(len(texts), np.bool_))
        table = kernels.letter_table()
        kernels.read_texts(written, offsets, table, dragons, *columns, 0, len(texts))
        return [written, *columns]

    found = [run()]
    for name, value in list(vars(kernels).items()):
        if hasattr(value, "py_func"):
            monkeypatch.setattr(kernels, name, value.py_func)
    with np.errstate(over="ignore"):  # bytes wrap around, as compiled
        found.append(run())
    for compiled, plain in zip(*found, strict=True):
        assert np.array_equal(compiled, plain)
    assert found[0][-1].sum() > 100


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_matter(threads):
    texts = [str(hand) for hand in random_wins(40_000, seed=74)]
    texts[5] = texts[39_999] = "nonsense"
    parsed = parse_hands(texts, threads=threads)
    assert parsed.bad.tolist() == [5, 39_999]


def test_columns_of_every_kind_of_text():
    texts = ["123456789m12355p", None, "11223344556677s", "🀇", "123456789m12355p"]
    arrays = [pa.array(texts, kind) for kind in (pa.string(), pa.large_string(), pa.string_view())]
    arrays.append(pa.array(texts).dictionary_encode())
    arrays.append(pa.chunked_array([pa.array(texts[:2]), pa.array(texts[2:])]))
    arrays.append(pa.array(["no", "no", *texts, "no"])[2:7])
    for array in arrays:
        parsed = parse_hands(array)
        assert parsed.bad.tolist() == [1, 3]
        assert parsed.statuses.tolist() == [Status.TILE_COUNT, Status.TILE_COUNT]
        assert parsed.messages[0] == "no hand text (a null)"
        good = HandBatch.from_hands([texts[0], texts[2], texts[4]])
        assert parsed.batch[[0, 2, 4]] == good


def test_no_texts():
    for nothing in ([], pa.array([], pa.string()), pa.chunked_array([], pa.string())):
        assert len(parse_hands(nothing)) == 0
    assert parse_hands(pa.nulls(2)).bad.tolist() == [0, 1]


@pytest.mark.parametrize("wrong", ["123456789m12355p", [1, 2], pa.array([1]), pa.array([b"1m"])])
def test_wrong_types(wrong):
    with pytest.raises(TypeError, match="texts"):
        parse_hands(wrong)


def test_wrong_honors():
    with pytest.raises(ValueError, match="honors must be"):
        parse_hands([], honors="dutch")


def test_not_loaded_with_the_package():
    """Rooms that need more than numpy are there, and loaded when they are used."""
    code = (
        "import sys, fastmj\n"
        "assert not {'pyarrow', 'numba', 'fastmj.dataset', 'fastmj.records'} & set(sys.modules)\n"
        "assert fastmj.dataset.parse_hands is fastmj.parse_hands\n"
        "assert fastmj.dataset.score_file is fastmj.score_file\n"
        "assert fastmj.records.read_games\n"
        "assert 'pyarrow' not in sys.modules, 'reading it needs no pyarrow'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
