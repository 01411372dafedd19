"""Benchmarks of hands: made, read, written, and as columns of a batch."""

from __future__ import annotations

import pytest

from fastmj import Hand, HandBatch, parse_hand, parse_hands, random_wins

N = 100_000
TEXT = "[EEE]123m456p7899s9s|ES0000"


def test_parse_hand(benchmark):
    benchmark(parse_hand, TEXT)


def test_hand_of_tiles_and_melds(benchmark):
    hand = parse_hand(TEXT)
    made = benchmark(lambda: Hand(hand.concealed, hand.win_tile, hand.melds, seat_wind=1))
    assert made == hand


def test_hand_of_botzone_codes(benchmark):
    packs, tiles = [("PENG", "F1", 1)], ["W1", "W2", "W3", "B4", "B5", "B6", "T7", "T8", "T9", "T9"]
    assert benchmark(lambda: Hand.from_botzone(packs, tiles, "T9", seat_wind=1)) == parse_hand(TEXT)


def test_hand_written(benchmark):
    assert benchmark(str, parse_hand(TEXT)) == TEXT


@pytest.mark.parametrize("kind", ["texts", "hands"])
def test_batch_from_hands(benchmark, kind):
    batch = random_wins(1000, seed=1)
    hands = [str(hand) for hand in batch] if kind == "texts" else list(batch)
    benchmark.extra_info["hands"] = len(hands)
    assert benchmark(HandBatch.from_hands, hands) == batch


def test_parse_hands(benchmark):
    texts = [str(hand) for hand in random_wins(20_000, seed=1)]
    benchmark.extra_info["hands"] = len(texts)
    assert len(benchmark(parse_hands, texts, threads=1)) == len(texts)


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_batch_from_arrays(benchmark, dtype):
    columns = [column.astype(dtype) for column in random_wins(N, seed=1).columns]
    benchmark.extra_info["hands"] = N
    benchmark(HandBatch.from_columns, *columns)


@pytest.mark.parametrize("layout", ["binary", "lists"])
def test_batch_from_arrow(benchmark, layout):
    pytest.importorskip("pyarrow")
    batch = random_wins(N, seed=1)
    table = batch.to_arrow(layout)
    benchmark.extra_info["hands"] = N
    assert benchmark(HandBatch.from_arrow, table) == batch
