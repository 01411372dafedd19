"""Bad arguments: one clear sentence that names the argument, whichever it is."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fastmj
from fastmj import (
    GB98,
    REGIONAL,
    WMO2006,
    HandBatch,
    Meld,
    parse_hand,
    random_deals,
    random_wins,
    score_batch,
)
from fastmj.distance import regular_shanten_batch
from fastmj.records import (
    check,
    decision_batches,
    decisions,
    differences,
    fan_masks,
    statistics,
    statistics_of_files,
    wins,
)
from fastmj.records.play import play_game
from fastmj.reference import explain
from fastmj.rules import PROFILES

NAN = float("nan")
BATCH = random_wins(20, seed=1)
DEALS = random_deals(20, seed=1)
HAND, READY = "123456789m12355p", "123456789m1235p"
GAMES = [play_game(seed=seed) for seed in range(2)]
SCORES = score_batch(BATCH)
MASKED = np.ma.masked_array(np.zeros(20, int), [1] + [0] * 19)
#: What is no number, no column and no text of any use.
NONSENSE = [
    2.5, NAN, np.full(20, NAN), np.full(20, 0.5), MASKED, np.full(20, "a"), object(), {"a": 1},
    np.zeros((20, 2, 2), int), np.zeros((3, 7), int), [None] * 20, [[1], [1, 2]], BATCH, 2j,
    np.full(20, np.datetime64("2020")),
]  # fmt: skip
LARGE = 2**70
NUMBERS = [2.5, NAN, -1, "2", "x", "", LARGE, -LARGE, None, [], [2], np.zeros(3), {}, BATCH, 2j]


def without(values, *taken):
    return [value for value in values if not any(value is one for one in taken)]


ONE = {
    "shanten": fastmj.shanten,
    "waits": fastmj.waits,
    "acceptance": fastmj.acceptance,
    "discards": fastmj.discards,
    "routes": fastmj.routes,
    "min_fan_shanten": fastmj.min_fan_shanten,
    "exact_chances": fastmj.exact_chances,
}
MANY = {
    "shanten_batch": fastmj.shanten_batch,
    "regular_shanten_batch": regular_shanten_batch,
    "waits_batch": fastmj.waits_batch,
    "acceptance_batch": fastmj.acceptance_batch,
    "discards_batch": fastmj.discards_batch,
    "waits_scores_batch": fastmj.waits_scores_batch,
    "fan_distance_batch": fastmj.fan_distance_batch,
    "min_fan_shanten_batch": fastmj.min_fan_shanten_batch,
    "features": fastmj.features,
}
NO_VISIBLE = ("shanten_batch", "regular_shanten_batch", "fan_distance_batch")
THREADED = {
    **{name: lambda f=f, **given: f(DEALS, **given) for name, f in MANY.items()},
    "score_batch": lambda **given: score_batch(BATCH, **given),
    "validate": lambda **given: fastmj.validate(BATCH, **given),
    "parse_hands": lambda **given: fastmj.parse_hands([HAND], **given),
    "random_wins": lambda **given: random_wins(5, **given),
    "random_deals": lambda **given: random_deals(5, **given),
    "decisions": lambda **given: decisions(GAMES, **given),
    "statistics": lambda **given: statistics(GAMES, **given),
    "check": lambda **given: list(check(GAMES, **given)),
    "simulate": lambda **given: fastmj.simulate(READY, samples=10, seed=1, **given),
}


def cases():
    """Yield a name, a function of one argument, the argument's name, bad values."""
    for name, function in MANY.items():
        bad = NONSENSE if name != "features" else without(NONSENSE, BATCH)
        yield name, function, "counts", [*bad, None, 5, "123m", [HAND], DEALS[0], DEALS * 1.0]
        bad = [*NONSENSE, np.zeros((3, 4), int), BATCH.melds[:3], "123m"]
        yield name, lambda v, f=function: f(DEALS, melds=v), "melds", bad
        if name not in NO_VISIBLE:
            yield name, lambda v, f=function: f(DEALS, visible=v), "visible", [*NONSENSE, 5, "x"]
    winds = ("waits_scores_batch", "fan_distance_batch", "min_fan_shanten_batch", "features")
    for name in winds:
        for wind in ("seat_wind", "prevalent_wind"):
            bad = [*NONSENSE, None, "x"]
            yield name, lambda v, f=MANY[name], w=wind: f(DEALS, **{w: v}), wind, bad
    for flag in ("self_drawn", "kong", "seat_wind", "flowers", "win_tile", "melds"):
        yield (
            "HandBatch",
            lambda v, flag=flag: HandBatch(BATCH.counts, **{"win_tile": 0, flag: v}),
            flag,
            [*NONSENSE, "x", *([] if flag == "melds" else [None])],
        )
    for name in ("self_drawn", "kong", "seat_wind", "flowers", "win_tile", "melds", "concealed"):
        bad = [2.5, NAN, np.zeros(3), np.zeros((2, 2), int), object(), {5: 1j}, 2j, [None]]
        for call, function in (
            ("score_hand", lambda v, name=name: fastmj.score_hand(HAND, **{name: v})),
            ("replace", lambda v, name=name: parse_hand(HAND).replace(**{name: v})),
        ):
            yield call, function, name, bad
    for name, function in ONE.items():
        hand = HAND if name == "discards" else READY
        bad = [*without(NONSENSE, 2j), None, 5, DEALS, DEALS[0] * 1.0]
        yield name, function, "a Hand or 34 counts", bad
        yield (
            name,
            lambda v, f=function: f(DEALS[0], melds=v),
            "melds",
            [2.5, 5, "123m", object(), [2.5], np.zeros((3, 4)), np.zeros((3, 4), int), 2j, [None]],
        )
        if name != "shanten":
            bad = [*NONSENSE, None, 5]
            yield name, lambda v, f=function, h=hand: f(h, visible=v), "visible", bad
        bad = ["x", None, 5, [], {}]
        yield name, lambda v, f=function, h=hand: f(h, honors=v), "honors", bad
    for name, function in THREADED.items():
        bad = [*without(NUMBERS, None, LARGE), 0, True]
        yield name, lambda v, f=function: f(threads=v), "threads", bad
    for name, function in (("random_wins", random_wins), ("random_deals", random_deals)):
        yield name, function, "n", [*NUMBERS, True]
        bad = without(NUMBERS, None)
        yield name, lambda v, f=function: f(3, seed=v), "seed", [*bad, 2**69, True]
    yield "random_wins", lambda v: random_wins(3, melds=v), "melds", [*without(NUMBERS, None), 5]
    yield (
        "random_wins",
        lambda v: random_wins(3, forms=v),
        "forms",
        ["x", [], 5, [5], NAN, object()],
    )
    yield "random_deals", lambda v: random_deals(3, tiles=v), "tiles", [*NUMBERS, 12, 15, 0]
    yield "random_deals", lambda v: random_deals(3, bias=v), "bias", ["x", 5, [], NAN, {}]
    for name in ("min_fan_shanten_batch", "min_fan_shanten", "exact_chances", "simulate"):
        function = getattr(fastmj, name)
        given = DEALS if name.endswith("batch") else READY
        yield (
            name,
            lambda v, f=function, g=given: f(g, min_fan=v),
            "min_fan",
            without(NUMBERS, None),
        )
        if name.startswith("min_fan"):
            bad = [5, -1, 2.5, NAN, "x", None, [], np.zeros(3), 2**70, BATCH]
            yield name, lambda v, f=function, g=given: f(g, self_drawn=v), "self_drawn", bad
        else:
            bad = [*(without(NUMBERS, None) if name == "simulate" else NUMBERS), 0, 10**10]
            yield name, lambda v, f=function: f(READY, draws=v), "draws", bad
    yield (
        "min_fan_shanten_batch",
        lambda v: fastmj.min_fan_shanten_batch(DEALS, most_exact=v),
        "most_exact",
        [*NUMBERS, 5],
    )
    for argument in ("samples", "seed"):
        bad = [*(NUMBERS if argument == "samples" else without(NUMBERS, None)), 10**19, True]
        yield "simulate", lambda v, a=argument: fastmj.simulate(READY, **{a: v}), argument, bad
    for name in ("acceptance_batch", "discards_batch"):
        bad = ["x", None, 5, [], NAN]
        yield name, lambda v, f=MANY[name]: f(DEALS, form=v), "form", bad
    yield "values", lambda v: GB98.replace(values=v), "values", [None, 5, "x", [1]]
    yield "values", lambda v: GB98.replace(values={"清龙": v}), "points", NUMBERS
    yield "min_fan", lambda v: GB98.replace(min_fan=v), "min_fan", NUMBERS
    yield "option", lambda v: GB98.replace(knitted_waits=v), "knitted_waits", [5, None, "x", [], 1]
    yield "name", lambda v: GB98.replace(name=v), "name", [5, None, []]
    for argument in ("total", "winner", "discarder"):
        good = {"total": [8, 9], "winner": 0, "discarder": 1}
        bad = [2.5, NAN, "x", MASKED[:2], [None, 1], [[1], [2]], 2**70, {}, 2j]
        yield (
            "settle",
            lambda v, a=argument, g=good: fastmj.settle(**{**g, a: v}),
            argument,
            [*bad, *([-2, 4] if argument != "total" else [-1])],
        )
    yield "to_arrow", lambda v: SCORES.to_arrow(fans=v), "fans", ["x", None, 5, []]
    yield "to_arrow", lambda v: SCORES.to_arrow(names=v), "names", ["x", None, 5, []]
    yield "to_arrow", lambda v: SCORES.to_arrow(prefix=v), "prefix", [None, 5, []]
    yield "to_arrow", BATCH.to_arrow, "layout", ["x", None, 5, []]
    yield "fan_names", lambda v: SCORES.fan_names(0, v), "language", ["x", None, 5, []]
    yield "hand_svg", lambda v: fastmj.hand_svg(HAND, height=v), "height", [0, -1, NAN, "x", None]
    yield "from_hands", HandBatch.from_hands, "hand", [None, 5, [5], [None], [[HAND]], DEALS, 2.5]
    yield "parse_hands", fastmj.parse_hands, "texts", [None, 5, [5], [[HAND]], DEALS, HAND, 2.5]
    for name in ("score_batch", "validate"):
        function = getattr(fastmj, name)
        yield name, function, "HandBatch", [None, 5, HAND, [HAND], [parse_hand(HAND)], DEALS]
    yield "concat", HandBatch.concat, "HandBatches", ["x", [1], [BATCH, None], DEALS]
    yield "Meld.parse", Meld.parse, "meld", [None, 5, ["123m"], 2.5]
    yield "explain", explain, "hand text", [None, 5, DEALS, BATCH]
    yield "fan_masks", fan_masks, "hand text", [None, 5, DEALS, BATCH]
    for name, function in (("decisions", decisions), ("statistics", statistics)):
        yield name, function, "read_games", ["games.txt", [1], [None], DEALS]
    good = {"pack": [("PENG", "F1", 1)], "hand": "W1 W2 W3 B4 B5 B6 T7 T8 T9 T9", "winTile": "T9"}
    codes = [None, 5, "x", "W0", "W10", ["W1"], 2.5, b"W1", NAN]
    flags = ["x", None, 5, 2.5, [], NAN]
    winds = [5, -1, "x", None, 2.5, [], NAN]
    for argument, named, bad in (
        ("pack", "pack", [None, 5, "x", [5], [None], [("CHI", "W2")], [("X", "W2", 1)], 2.5]),
        ("pack", "offer", [[("CHI", "W2", value)] for value in ("x", 9, -1, None, True)]),
        ("pack", "Botzone tile", [[("CHI", value, 1)] for value in codes]),
        ("hand", "hand", [None, 5, 2.5]),
        ("hand", "Botzone tile", [[value] for value in codes]),
        ("winTile", "Botzone tile", codes),
        ("flowerCount", "flowers", [2.5, NAN, -1, 9, "x", None, [], LARGE]),
        ("isSelfDrawn", "self_drawn", flags),
        ("is4thTile", "last_of_kind", flags),
        ("isAboutKong", "kong", flags),
        ("isWallLast", "last_tile", flags),
        ("seatWind", "wind", winds),
        ("prevalentWind", "wind", winds),
        ("rules", "rules", [5, None, "x", []]),
    ):
        call = lambda v, a=argument: fastmj.score_botzone(**{**good, a: v})  # noqa: E731
        yield f"score_botzone-{argument}", call, named, bad
    for name in ("shanten_batch", "waits_batch", "acceptance_batch", "discards_batch", "features"):
        bad = [5, "x", [], (), np.zeros(20), DEALS, SCORES, BATCH]
        yield name, lambda v, f=MANY[name]: f(DEALS, out=v), "Batch is wanted", bad
    bad = [5, "x", [], (), SCORES.total, DEALS, BATCH]
    yield "score_batch", lambda v: score_batch(BATCH, out=v), "ScoreBatch is wanted", bad
    yield "from_arrow", HandBatch.from_arrow, "Arrow table", [None, 5, HAND, [HAND], DEALS, {}]


CASES = [
    pytest.param(function, argument, value, id=f"{name}-{argument}-{place}")
    for name, function, argument, values in cases()
    for place, value in enumerate(values)
]


@pytest.mark.parametrize(("function", "argument", "value"), CASES)
def test_one_sentence_names_the_argument(function, argument, value):
    with pytest.raises((TypeError, ValueError)) as caught:
        function(value)
    message = str(caught.value)
    assert re.search(argument.replace("_", "[_ ]"), message), message
    assert "truth value" not in message
    assert "\n" not in message
    assert len(message) < 300
    assert "object is not" not in message


# --- rules by name


BY_RULES = {
    "score_hand": lambda **given: fastmj.score_hand(HAND, **given),
    "score_batch": lambda **given: score_batch(BATCH, **given),
    "explain": lambda **given: explain(parse_hand(HAND), **given),
    "waits": lambda **given: fastmj.waits(READY, **given),
    "waits_scores_batch": lambda **given: fastmj.waits_scores_batch(DEALS, **given),
}
BY_NATIONAL_RULES = {
    "simulate": lambda **given: fastmj.simulate(READY, samples=10, seed=1, **given),
    "exact_chances": lambda **given: fastmj.exact_chances(READY, **given).tolist(),
    "min_fan_shanten": lambda **given: fastmj.min_fan_shanten(READY, **given),
    "min_fan_shanten_batch": lambda **given: fastmj.min_fan_shanten_batch(DEALS, **given),
    "decisions": lambda **given: decisions(GAMES, **given),
    "decision_batches": lambda **given: list(decision_batches(GAMES, **given)),
    "fan_masks": lambda **given: fan_masks(parse_hand(HAND), **given),
    "statistics": lambda **given: statistics(GAMES, **given).totals,
    "statistics_of_files": lambda **given: statistics_of_files([], **given).totals,
    "check": lambda **given: list(check(GAMES, **given)),
    "differences": lambda **given: list(differences(wins(GAMES), **given)),
    "play_game": lambda **given: play_game(seed=1, **given),
    "Win.score": lambda **given: next(iter(wins(GAMES))).score(**given),
}


@pytest.mark.parametrize("name", [*BY_RULES, *BY_NATIONAL_RULES])
def test_rules_have_names(name):
    function = {**BY_RULES, **BY_NATIONAL_RULES}[name]
    for given, rules in (("gb98", GB98), ("WMO2006", WMO2006), ("wmo2006", WMO2006)):
        assert function(rules=given) == function(rules=rules)
    with pytest.raises(ValueError, match="no rules are called 'mcr': there are gb98, wmo2006, reg"):
        function(rules="mcr")
    for bad in (5, None, {"min_fan": 8}, type(GB98), [], NAN, ["gb98"]):
        with pytest.raises(TypeError, match=r"rules must be a profile such as GB98, or the name"):
            function(rules=bad)
    if name in BY_RULES:
        assert function(rules="regional") == function(rules=REGIONAL)
    for given in () if name in BY_RULES else ("regional", REGIONAL):
        with pytest.raises(TypeError, match=r"rules must be a Rules profile.* doubling rules"):
            function(rules=given)


def test_data_files_know_rules_by_their_names(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    from fastmj.dataset import score_file, stats_of_file

    parquet.write_table(BATCH.to_arrow(), tmp_path / "hands.parquet")
    for name, rules in PROFILES.items():
        for place, given in enumerate((name, rules)):
            score_file(tmp_path / "hands.parquet", tmp_path / f"{name}{place}.parquet", rules=given)
        found = [parquet.read_table(tmp_path / f"{name}{place}.parquet") for place in (0, 1)]
        assert found[0].equals(found[1])
        stats = [stats_of_file(tmp_path / f"{name}0.parquet", rules=one) for one in (name, rules)]
        assert stats[0] == stats[1] != stats_of_file(tmp_path / f"{name}0.parquet", fans=False)
