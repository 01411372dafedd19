"""Roll-outs of many hands as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from fastmj import WMO2006, Status, simulate, simulate_batch
from fastmj.hands.melds import Meld
from fastmj.hands.tiles import counts_of, parse_tiles

TEXTS = ["123456m78p12399s", "123m456p13789s9pEE", "2346m4588p6sWWCC", "19m19p19sESWNCFPP"]
HANDS = np.array([counts_of(parse_tiles(text)) for text in TEXTS], np.uint8)
QUICK = {"samples": 60, "seed": 3, "draws": 8}


def test_rows_are_what_simulate_says_within_their_errors():
    """Seeds differ, so the numbers do; the hands, the winds and the model are the same."""
    found = simulate_batch(HANDS, samples=1500, seed=1, draws=6, seat_wind=1, prevalent_wind=2)
    for row, text in enumerate(TEXTS):
        one = simulate(f"{text}|WS", samples=1500, seed=99, draws=6).choices[0]
        error = np.hypot(found.win_error[row], one.win_error)
        assert abs(found.win_chance[row] - one.win_chance) < 4 * error
        error = np.hypot(found.payment_error[row], one.payment_error)
        assert abs(found.payment[row] - one.payment) < 4 * error
        assert found.discard[row] == (255 if one.discard is None else one.discard)


def test_the_same_whatever_the_threads_and_the_order():
    one = simulate_batch(HANDS, threads=1, **QUICK)
    assert simulate_batch(HANDS, threads=3, **QUICK) == one
    order = np.array([2, 0, 3, 1])
    assert simulate_batch(HANDS[order], **QUICK) == one[order]
    assert simulate_batch(HANDS[2:3], **QUICK) == one[2:3]
    twice = simulate_batch(np.repeat(HANDS[:1], 2, 0), **QUICK)
    assert twice[0] == twice[1]
    other = simulate_batch(HANDS, **{**QUICK, "seed": 4})
    assert (other.win_chance != one.win_chance).any()


def test_everything_a_row_says_counts():
    """Visible tiles, winds, melds, turns and draws of one row do not touch the others."""
    base = simulate_batch(HANDS, **QUICK)
    visible = np.zeros((4, 34), np.uint8)
    visible[0, parse_tiles("6p9p")] = 4  # nothing is left to win with
    found = simulate_batch(HANDS, visible=visible, **QUICK)
    assert found.win_chance[0] < 0.7 * base.win_chance[0]
    assert found[1:] == base[1:]
    found = simulate_batch(HANDS, **{**QUICK, "draws": [1, 8, 8, 8]})
    assert found.win_chance[0] < base.win_chance[0]
    assert found[1:] == base[1:]
    found = simulate_batch(HANDS, turn=[15, 0, 0, 0], others=3, **QUICK)
    again = simulate_batch(HANDS, others=3, **QUICK)
    assert found.payment[0] != again.payment[0]
    assert found[1:] == again[1:]


def test_melds():
    melds = np.zeros((2, 4), np.uint8)
    melds[0, 0] = Meld.parse("[CCC]").code
    hands = np.array([counts_of(parse_tiles(t)) for t in ("2346m4588p6sWW", TEXTS[2])])
    found = simulate_batch(hands, melds, **{**QUICK, "samples": 400})
    assert (found.status == 0).all()
    assert found.win_chance[0] > found.win_chance[1]


def test_bad_rows_have_a_status_and_harm_no_other():
    hands = np.concatenate([HANDS, HANDS[:1], HANDS[:1], HANDS[:1], HANDS[:1]])
    hands[4, 0] = 5
    hands[5, 0] += 2
    melds = np.zeros((8, 4), np.uint8)
    melds[6, 0] = 200
    winds = np.zeros(8, np.int64)
    winds[7] = 4
    visible = np.zeros((8, 34), np.uint8)
    found = simulate_batch(hands, melds, seat_wind=winds, visible=visible, **QUICK)
    wrong = (Status.TILE_COUNT, Status.BAD_MELD, Status.BAD_WIND)
    assert found.status[:4].tolist() == [0] * 4
    assert found.status[5:].tolist() == list(wrong)
    assert found.status[4] > Status.NOT_COMPLETE
    assert np.isnan(found.win_chance[4:]).all()
    assert np.isnan(found.payment_error[4:]).all()
    assert (found.discard[4:] == 255).all()
    assert found[:4] == simulate_batch(HANDS, **QUICK)
    visible[1] = 4
    found = simulate_batch(HANDS, visible=visible[:4], **QUICK)
    assert found.status.tolist() == [0, Status.FIVE_OF_A_KIND, 0, 0]


def test_no_more_rounds_than_tiles():
    visible = np.where(HANDS[0] > 0, 0, 4).astype(np.uint8)
    found = simulate_batch(HANDS[:1], visible=visible, samples=20, seed=1, draws=50)
    left = 136 - 13 - int(visible.sum())
    again = simulate_batch(HANDS[:1], visible=visible, samples=20, seed=1, draws=left // 4)
    assert found == again


def test_rules_and_points():
    found = simulate_batch(HANDS[1:2], rules=WMO2006, by="points", min_fan=6, **QUICK)
    assert found.status[0] == 0
    assert found[0].payment == found.payment[0]


def test_nothing_and_what_cannot_be():
    assert len(simulate_batch([], **QUICK)) == 0
    for wrong, message in (
        ({"samples": 0}, "samples"), ({"seed": -1}, "seed"), ({"draws": 0}, "draws"),
        ({"turn": -1}, "turn"), ({"claims": 2}, "claims"), ({"policy": "luck"}, "policy"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            simulate_batch(HANDS, **{**QUICK, **wrong})
    with pytest.raises(TypeError, match="draws must be whole numbers"):
        simulate_batch(HANDS, draws=2.5)
    with pytest.raises(ValueError, match="shape"):
        simulate_batch(HANDS[:, :33])


def test_a_policy_function():
    def first(turn):
        return np.where(turn.offered < 255, -1, (turn.counts > 0).argmax(axis=1))

    found = simulate_batch(HANDS[:2], policy=first, **QUICK)
    assert (found.status == 0).all()
