"""Doubling rules: golden hands, kernel = reference, the profile, and every way that scores it."""

from __future__ import annotations

import doctest
import io
import json
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_agreement import near_wins

import fastmj
from fastmj import (
    FANS,
    GB98,
    HAND_TYPES,
    REGIONAL,
    DoublingRules,
    Hand,
    HandBatch,
    InvalidHand,
    Status,
    exact_chances,
    min_fan_shanten,
    parse_hand,
    random_wins,
    score_batch,
    score_hand,
    simulate,
    validate,
    waits,
    waits_scores_batch,
)
from fastmj.cli import main
from fastmj.hands.melds import Meld, MeldKind
from fastmj.kernels.scoring import doubling as at
from fastmj.reference import explain
from fastmj.rules import PROFILES
from fastmj.samples.wins import WIN_FORMS
from fastmj.tables.scoring.doubling import meld_planes, suit_machine
from fastmj.tables.scoring.shapes import all_splits
from fastmj.threads import usable_cores

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/doubling.jsonl").read_text("utf-8").splitlines()
]
SCORED = [case for case in CASES if "error" not in case]
OPTIONS = [
    REGIONAL,
    *(REGIONAL.replace(**{name: not getattr(REGIONAL, name)}) for name in REGIONAL.options()),
    REGIONAL.replace(min_fan=13, values={"七对": 24, "平胡": 1, "海底": 1000, "全求人": 0}),
]


def rules_of(case: dict[str, Any]) -> DoublingRules:
    return REGIONAL.replace(values=case.get("values", {}), **case.get("options", {}))


# --- golden hands


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case["id"])
def test_golden(case):
    rules, hand = rules_of(case), parse_hand(case["hand"])
    wins = case.get("wins", bool(case["fans"]))
    explanation = explain(hand, rules)
    named = {HAND_TYPES[kind].zh: factor for kind, factor in explanation.fans.items()}
    assert (named, explanation.total, explanation.wins) == (case["fans"], case["total"], wins)
    score = score_hand(hand, rules=rules)
    assert (score.fans, score.total, score.wins) == (case["fans"], case["total"], wins)
    assert list(score.fans) == list(case["fans"])  # the base is the first
    assert sum(score.points.values()) == score.total == score.base
    assert score.status == (Status.OK if case["fans"] else Status.NOT_COMPLETE)
    many = score_batch(HandBatch.from_hands([hand]), rules=rules, fan_counts=True)
    factors = {HAND_TYPES[kind].zh: int(n) for kind, n in enumerate(many.fan_counts[0]) if n}
    assert (factors, many.total[0], many.wins[0]) == (case["fans"], case["total"], wins)
    assert set(many.fan_names(0)) == case["fans"].keys()
    assert many[0] == score


@pytest.mark.parametrize("case", [c for c in CASES if "error" in c], ids=lambda case: case["id"])
def test_impossible(case):
    with pytest.raises(InvalidHand) as caught:
        score_hand(case["hand"], rules=REGIONAL)
    assert caught.value.status.name == case["error"]


def test_every_type_is_the_base_and_doubles():
    bases = {next(iter(case["fans"])) for case in SCORED if case["fans"]}
    doubling = {zh for case in SCORED for zh, factor in case["fans"].items() if factor == 2}
    assert bases == {kind.zh for kind in HAND_TYPES}
    assert doubling == bases


def test_the_reasons():
    result = explain(parse_hand("[123m,1][456m,1][789m,1][999m,1]55m|EE0010"), REGIONAL)
    assert str(result).splitlines()[1:] == [
        "Read as [123m] [456m] [789m] [999m] 55m",
        "Counted:",
        " 18  全求人 Melded Hand: the base",
        " 18  海底 Last of the Wall: doubles",
        " 36  清一色 Full Flush: doubles",
        "Not counted:",
        "  -  平胡 Plain Hand: the plain shape doubles nothing",
    ]
    once = explain(result.hand, REGIONAL.replace(doubles_again=False))
    assert [item.role for item in once.chosen.counted] == [
        "the base", "doubles", "does not double again",
    ]  # fmt: skip
    assert str(explain(parse_hand("EEESSSWWNNCFPC"), REGIONAL).chosen.reading) == "EEESSSWWNNCCFP"


# --- kernel and reference


def disagreements(batch: HandBatch, rules: DoublingRules) -> list[str]:
    scores = score_batch(batch, rules=rules, threads=1, fan_counts=True)
    found = []
    for row, hand in enumerate(batch):
        expected = explain(hand, rules)
        counts = scores.fan_counts[row]
        factors = {int(kind): int(counts[kind]) for kind in np.flatnonzero(counts)}
        masked = {kind for kind in range(len(HAND_TYPES)) if scores.fan_mask[row, 0] >> kind & 1}
        status = Status.OK if expected.chosen else Status.NOT_COMPLETE
        if (factors, masked, scores.total[row], scores.base[row], scores.wins[row]) != (
            expected.fans, set(expected.fans), expected.total, expected.base, expected.wins,
        ) or scores.status[row] != status or scores.fan_mask[row, 1]:  # fmt: skip
            found.append(f"{hand}: kernel {scores.total[row]} {factors}, {expected}")
    return found


def honour_hands(n: int, seed: int) -> HandBatch:
    """Hands of honours, with melds and without, of which some hold a tile of a suit."""
    rng = np.random.default_rng(seed)
    counts, melds = np.zeros((n, 34), np.uint8), np.zeros((n, 4), np.uint8)
    win = np.zeros(n, np.uint8)
    for row in range(n):
        copies = np.zeros(34, int)
        copies[27:] = 4
        if rng.random() < 0.1:
            copies[rng.integers(27)] = 1
        number = int(rng.choice([0, 0, 1, 2, 3, 4]))
        for place, tile in enumerate(27 + rng.permutation(7)[:number]):
            kind = int(rng.integers(1, 4))
            melds[row, place] = 1 + 34 * kind + tile
            copies[tile] = 1 if kind == 1 else 0
        wall = np.repeat(np.arange(34), copies)
        tiles = rng.permutation(wall)[: 14 - 3 * number]
        np.add.at(counts[row], tiles, 1)
        win[row] = tiles[0]
    return HandBatch(
        counts, melds=melds, win_tile=win, self_drawn=rng.integers(0, 2, n),
        last_tile=rng.integers(0, 2, n), flowers=rng.integers(0, 9, n),
    )  # fmt: skip


@pytest.mark.parametrize("form", WIN_FORMS)
def test_kernel_is_reference_in_every_form(form):
    assert disagreements(random_wins(1_500, seed=20, forms=form), REGIONAL) == []


@pytest.mark.parametrize("rules", OPTIONS, ids=lambda rules: str(hash(rules))[:6])
def test_kernel_is_reference_with_every_option(rules):
    assert disagreements(random_wins(600, seed=21), rules) == []
    assert disagreements(random_wins(600, seed=22, forms="one_suit"), rules) == []
    assert disagreements(near_wins(300, seed=23), rules) == []
    assert disagreements(honour_hands(300, seed=24), rules) == []


def test_kernel_is_reference_on_honours():
    hands = honour_hands(3_000, seed=25)
    assert not validate(hands).any()
    assert disagreements(hands, REGIONAL) == []
    scores = score_batch(hands, rules=REGIONAL)
    assert 0.85 < scores.wins.mean() < 0.97  # those with a tile of a suit mostly do not


_SHARE = 5_000


def _share(task: tuple[str, int]) -> list[str]:
    kind, seed = task
    if kind == "honours":
        return disagreements(honour_hands(_SHARE, seed), REGIONAL)
    if kind == "near wins":
        return disagreements(near_wins(_SHARE, seed), REGIONAL)
    rules = OPTIONS[seed % len(OPTIONS)] if kind == "options" else REGIONAL
    forms = "one_suit" if kind == "one suit" else None
    return disagreements(random_wins(_SHARE, seed=seed, forms=forms, threads=1), rules)


@pytest.mark.deep
def test_deep_kernel_is_reference():
    shares = {"wins": 40, "one suit": 20, "honours": 16, "near wins": 8, "options": 16}
    tasks = [(kind, 1_000 + i) for kind, number in shares.items() for i in range(number)]
    assert len(tasks) * _SHARE == 500_000
    with ProcessPoolExecutor(usable_cores(), mp_context=get_context("spawn")) as pool:
        found = [line for lines in pool.map(_share, tasks) for line in lines]
    print(
        f"\ndoubling kernel = reference: {len(tasks) * _SHARE:,} hands, {len(found)} disagreements"
    )
    assert found == []


# --- tables


def test_the_machine_knows_which_suits_split():
    """All 5^9 counts of a suit, against the shapes that split."""
    machine = suit_machine().reshape(-1, at.MOVES).astype(np.int64)
    assert len(machine) == 92
    keys = np.arange(5**9)
    digits = keys[:, None] // 5 ** np.arange(9) % 5
    state = np.zeros(len(keys), np.int64)
    for first in (0, 3, 6):
        ranks = digits[:, first : first + 3]
        move = sum((ranks[:, r] >> bit & 1) << r + 3 * bit for r in range(3) for bit in range(3))
        state = machine[state, move]
    splits = np.zeros(len(keys), bool)
    for shape, _ in all_splits(9, chows=True, copies=4):
        splits[sum(count * 5**rank for rank, count in enumerate(shape))] = True
    size = digits.sum(axis=1)
    small = size <= 14
    expected = np.where(splits, (size % 3 == 2).astype(int), at.NO_SPLIT)
    assert np.array_equal(state[small], expected[small])
    assert splits.sum() == 21_743


def test_a_fifth_copy_leads_nowhere():
    machine = suit_machine().reshape(-1, at.MOVES).astype(np.int64)
    five = 1 | 1 << 6
    state = machine[machine[machine[0, five], 0], 0]
    assert state == at.NO_SPLIT


def test_the_planes_of_melds():
    planes = meld_planes().reshape(256, at.MELD_COLUMNS)
    for code in range(1, 256):
        try:
            meld = Meld.from_code(code)
        except InvalidHand:
            assert planes[code].tolist() == [0, 0, 0, 1 << at.BAD]
            continue
        for tile in range(34):
            copies = sum(int(planes[code, bit] >> tile & 1) << bit for bit in range(3))
            assert copies == meld.tiles.count(tile)
        assert planes[code, 3] & 7 == 1
        assert planes[code, 3] >> at.EXPOSED & 7 == (meld.kind != MeldKind.CONCEALED_KONG)
        assert planes[code, 3] >> at.KONGS & 7 == meld.is_kong
        assert planes[code, 3] >> at.CHOWS & 7 == (meld.kind == MeldKind.CHOW)
    assert planes[0].tolist() == [0, 0, 0, 0]


# --- bad input


def test_impossible_rows_have_the_status_that_national_rules_give():
    """Columns of random bytes, most of them nearly right."""
    rng = np.random.default_rng(5)
    batch = random_wins(60_000, seed=5)
    columns = [column.copy() for column in batch.columns]
    for column, most in zip(columns, (18, 256, 40, 20, 6, 6, 12), strict=True):
        flat = column.reshape(-1)
        rate = 0.004 if column.ndim == 2 else 0.03
        spoiled = np.flatnonzero(rng.random(len(flat)) < rate)
        flat[spoiled] = rng.integers(0, most, len(spoiled))
    spoiled = HandBatch.from_columns(*columns)
    national, regional = score_batch(spoiled), score_batch(spoiled, rules=REGIONAL)
    impossible = national.status > Status.NOT_COMPLETE
    assert set(national.status[impossible].tolist()) == set(range(2, 15))
    assert np.array_equal(regional.status[impossible], national.status[impossible])
    assert (regional.status[~impossible] <= Status.NOT_COMPLETE).all()
    assert not regional.total[impossible].any()
    assert not regional.fan_mask[impossible].any()
    assert not regional.wins[impossible].any()


def test_what_is_no_profile():
    with pytest.raises(TypeError, match=r"rules must be a profile such as GB98.*, got int"):
        score_batch(random_wins(1, seed=1), rules=5)
    with pytest.raises(ValueError, match="no rules are called 'local': there are gb98, wmo2006"):
        explain(parse_hand("123456789m12355p"), "local")


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"values": {"海底捞月": 8}}, ValueError, "no fan is called '海底捞月'"),
        ({"values": {7: 8}}, ValueError, "no fan is called 7"),
        ({"values": {-1: 8}}, ValueError, "no fan is called -1"),
        ({"values": {"海底": 1001}}, ValueError, "海底 Last of the Wall: points must be a whole"),
        ({"values": {"海底": 6.5}}, ValueError, "points must be a whole number 0-1000"),
        ({"doubles_again": 1}, TypeError, "doubles_again must be True or False, got 1"),
        ({"knitted_waits": True}, TypeError, "no such option: knitted_waits; there are doubles_ag"),
        ({"min_fan": -1}, ValueError, "min_fan must be a whole number 0-1000"),
    ],
)
def test_bad_profiles(changes, error, message):
    with pytest.raises(error, match=message):
        REGIONAL.replace(**changes)


def test_profiles_are_values():
    again = DoublingRules(name="REGIONAL")
    assert again == REGIONAL
    assert hash(again) == hash(REGIONAL)
    house = REGIONAL.replace(name="house", values={"Seven Pairs": 24}, doubles_again=False)
    assert pickle.loads(pickle.dumps(house)) == house != REGIONAL
    assert house.replace(values={"seven_pairs": 6}, doubles_again=True, name="REGIONAL") == REGIONAL
    assert {house: 1}[REGIONAL.replace(name="house", values={5: 24}, doubles_again=False)] == 1
    assert REGIONAL != GB98
    assert PROFILES["regional"] is REGIONAL
    with pytest.raises(AttributeError):
        REGIONAL.min_fan = 6


def test_the_most_that_there_is_fits():
    rules = REGIONAL.replace(values=dict.fromkeys(range(7), 1000), plain_doubles=True)
    hand = parse_hand("[1111m,1][222m,1][777m,1][999m,1]55m|EE0010")
    assert score_hand(hand, rules=rules).total == 16_000
    assert score_batch(HandBatch.from_hands([hand]), rules=rules).total[0] == 16_000


# --- the ways that a hand is scored


def test_threads_and_parts_change_nothing():
    batch = random_wins(50_000, seed=6)
    whole = score_batch(batch, rules=REGIONAL, threads=1, fan_counts=True)
    for threads in (2, 3):
        again = score_batch(batch, rules=REGIONAL, threads=threads, fan_counts=True)
        for name in ("total", "base", "fan_mask", "fan_counts", "wins", "status"):
            assert np.array_equal(getattr(whole, name), getattr(again, name))
    part = score_batch(batch[17:40], rules=REGIONAL)
    assert np.array_equal(part.total, whole.total[17:40])
    assert len(score_batch(batch[:0], rules=REGIONAL)) == 0


def test_a_hand_without_the_compiler(monkeypatch):
    from fastmj.scoring import hand as module

    hand = parse_hand("[111m,1][555p,2][999s,3]33p77s7s|EE0010")
    compiled = score_hand(hand, rules=REGIONAL)
    monkeypatch.setattr(module, "_single_scorer", lambda rules: None)
    assert score_hand(hand, rules=REGIONAL) == compiled
    assert compiled.explain().total == 12


def test_showing_a_score():
    score = score_hand("[111m,1][555p,2][999s,3]33p77s7s", rules=REGIONAL, last_tile=True)
    assert str(score).splitlines()[1:] == [
        "   6  海底 Last of the Wall",
        "   6  碰碰胡 All Pungs ×2",
        "  12  total, a win (REGIONAL)",
    ]
    cells = '<td>碰碰胡</td><td>All Pungs</td><td class="n">2</td><td class="n">6</td>'
    assert cells in score._repr_html_()
    assert score.fans_en == {"Last of the Wall": 1, "All Pungs": 2}
    assert (score.flowers, score_hand("EEESSSWWNNCFPC||5", rules=REGIONAL).total) == (0, 6)


def test_arrow():
    pytest.importorskip("pyarrow")
    hands = ["[111m,1][555p,2][999s,3]33p77s7s|EE0010|3", "EEESSSWWNNCFPC", "19m19p19sESWNCFP1m"]
    scores = score_batch(HandBatch.from_hands(hands), rules=REGIONAL, fan_counts=True)
    listed = scores.to_arrow().to_pylist()
    assert [row["fans"] for row in listed] == [["海底", "碰碰胡"], ["字一色"], []]
    assert [row["total"] for row in listed] == [12, 6, 0]
    english = scores.to_arrow(names="key").column("fans").to_pylist()
    assert english[0] == ["last_of_the_wall", "all_pungs"]
    columns = scores.to_arrow("columns", prefix="r_")
    assert columns.column_names[4:] == [f"r_fan_{kind.key}" for kind in HAND_TYPES]
    assert columns.column("r_fan_all_pungs").to_pylist() == [2, 0, 0]
    assert scores.to_arrow("mask").column("fan_mask_0").to_pylist() == [0b10001, 0b100, 0]
    plain = score_batch(HandBatch.from_hands(hands), rules=REGIONAL)
    assert plain.to_arrow().column("fans").to_pylist() == [row["fans"] for row in listed]
    with pytest.raises(ValueError, match="7 columns of fans need scores made with fan_counts"):
        plain.to_arrow("columns")


# --- waits


def ready_hands(n: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    batches = (random_wins(n, seed=seed), honour_hands(n, seed=seed))
    found = []
    for batch in batches:
        counts = batch.counts.copy()
        counts[np.arange(n), batch.win_tile] -= 1
        found.append((counts, batch.melds))
    return found


@pytest.mark.parametrize("rules", [REGIONAL, REGIONAL.replace(flush_needs_sets=False)], ids=str)
def test_waits_are_what_completes_the_hand(rules):
    for counts, melds in ready_hands(150, seed=8):
        found = waits_scores_batch(counts, melds=melds, rules=rules)
        assert not found.status.any()
        for row in range(len(counts)):
            held = counts[row].astype(int)
            for code in melds[row][melds[row] > 0]:
                np.add.at(held, list(Meld.from_code(int(code)).tiles), 1)
            for tile in range(34):
                score = None
                if held[tile] < 4:
                    tiles = [*np.repeat(np.arange(34), counts[row]).tolist(), tile]
                    codes = [Meld.from_code(int(c)) for c in melds[row] if c]
                    score = explain(Hand(tiles, tile, codes), rules)
                waits_for_it = score is not None and score.chosen is not None
                assert found.mask[row] >> tile & 1 == found.live[row] >> tile & 1 == waits_for_it
                assert found.by_discard[row, tile] == (score.total if waits_for_it else -1)


def test_waits_of_which_no_copy_is_left():
    found = waits("EEESSSWWNNCFP", visible="CCC", rules=REGIONAL)
    assert [wait.left for wait in found] == [1, 1, 2, 2, 0, 3, 3]
    assert found.waits[4].by_discard is None
    assert len(waits("19m19p19sESWNCFP", rules=REGIONAL)) == 0
    assert len(waits("19m19p19sESWNCFP")) == 13


def test_waits_beside_rows_that_are_no_hands():
    counts = np.zeros((2, 34), np.uint8)
    counts[0, 27:34] = [4, 4, 4, 4, 0, 0, 0]
    counts[1, 27:34] = [3, 3, 2, 2, 1, 1, 1]
    found = waits_scores_batch(counts, rules=REGIONAL)
    assert found.status[0] == Status.TILE_COUNT
    assert found.mask.tolist() == [0, sum(1 << tile for tile in range(27, 34))]


def test_values_of_hands_on_their_way_are_national():
    with pytest.raises(TypeError, match="rules must be a Rules profile such as GB98: REGIONAL are"):
        min_fan_shanten("123456789m1235p", rules=REGIONAL)
    with pytest.raises(TypeError, match="rules must be a Rules profile such as GB98: REGIONAL are"):
        exact_chances("123456789m1235p", draws=1, rules=REGIONAL)
    with pytest.raises(TypeError, match="rules must be a Rules profile such as GB98: REGIONAL are"):
        simulate("123456789m1235p", samples=1, seed=1, rules=REGIONAL)


# --- the command


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(arguments))
    return code, out.getvalue(), err.getvalue()


def test_command_score():
    hand = "[123m,1][456m,1][789m,1][999m,1]55m"
    code, out, _ = run("score", hand, "--rules", "regional", "--last-tile", "--explain")
    assert code == 0
    assert "Melded Hand" in out and "the base" in out and "doubles" in out
    assert "A win: 72 (REGIONAL)." in out
    assert "pays" not in out
    code, out, _ = run("score", hand, "--rules", "regional", "--json")
    record = json.loads(out)
    assert (record["total"], record["rules"], record["min_fan"]) == (36, "REGIONAL", 0)
    assert [(fan["key"], fan["factor"], fan["points"]) for fan in record["fans"]] == [
        ("melded_hand", 1, 18), ("full_flush", 2, 18),
    ]  # fmt: skip
    code, out, _ = run("score", hand, "--rules", "regional", "--json", "--explain")
    assert [fan["role"] for fan in json.loads(out)["fans"]] == ["the base", "doubles"]
    code, out, _ = run("score", "EEESSSWWNNCFPC", "19m19p19sESWNCFP1m", "--brief", "-r", "regional")
    assert [line.split()[:2] for line in out.splitlines()] == [["6", "win"], ["0", "none"]]


def test_command_fans():
    code, out, _ = run("fans", "--rules", "regional", "--json")
    records = [json.loads(line) for line in out.splitlines()]
    assert [(r["zh"], r["points"]) for r in records] == [(k.zh, k.points) for k in HAND_TYPES]
    code, out, _ = run("fans", "--rules", "regional")
    assert code == 0
    assert "The 7 types of REGIONAL; no minimum" in out
    code, out, _ = run("fans", "melded hand", "--rules", "regional")
    assert "18 points" in out
    code, out, err = run("fans", "一般高", "--rules", "regional")
    assert code == 2
    assert "no fan is called" in err


def test_command_waits_and_what_is_national():
    code, out, _ = run("waits", "EEESSSWWNNCFP", "--rules", "regional", "--json")
    assert len(json.loads(out)["waits"]) == 7
    for command in ("routes", "analyze", "replay"):
        code, _, err = run(command, "123456789m1235p", "--rules", "regional")
        assert code == 2
        assert "'regional' is not one of 'gb98', 'wmo2006'" in err


def test_types_are_no_fans():
    """Numbers of types are those of their own table."""
    assert [kind.id for kind in HAND_TYPES] == list(range(7))
    assert HAND_TYPES["海底"].key not in {fan.key for fan in FANS}
    assert {kind.zh: kind.points for kind in HAND_TYPES}["全求人"] == 18


def test_the_page_of_the_room():
    page = Path(fastmj.__file__).parent / "rules/README.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert len(test.examples) >= 5
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
    for option in REGIONAL.options():
        word = "yes" if getattr(REGIONAL, option) else "no"
        assert f"| `{option}` | {word} |" in page.read_text("utf-8")
