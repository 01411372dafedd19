"""Roll-outs = exact chances on any number of threads; policies do what is documented."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from fastmj import InvalidHand, acceptance_batch, discards_batch, random_deals, random_wins
from fastmj.hands.tiles import format_tiles, tiles_of
from fastmj.kernels.value.steering import (
    BLOCK,
    FAR,
    discard_by_targets,
    target_costs,
    tiles_to_watch,
)
from fastmj.value import Turn, exact_chances, simulate
from fastmj.value import simulation as module
from fastmj.value.goals import goals_of, masks_of

#: Self-draws alone: nobody else plays.
ALONE = {"claims": 0, "others": 0, "melding": False, "draws": 18}


def game_of(hand, **options):
    """What ``simulate`` plays."""
    caught = []

    class CaughtError(Exception):
        pass

    def play(game, *_):
        caught.append(game)
        raise CaughtError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._Game, "play", play)
        with pytest.raises(CaughtError):
            simulate(hand, **options)
    return caught[0]


EAST = {"seat_wind": 0, "prevalent_wind": 0}


@pytest.mark.parametrize("policy", ["shanten", "fan", "weigh"])
def test_a_ready_hand_wins_as_often_as_it_must(policy):
    """Six winning tiles among 123 unseen ones, eighteen draws."""
    found = simulate("123456789m1234p", samples=4000, seed=1, policy=policy, **ALONE)
    choice = found.choices[0]
    for turn in (1, 6, 18):
        expected = 1 - comb(117, turn) / comb(123, turn)
        error = (expected * (1 - expected) / choice.samples) ** 0.5
        won = choice.win_by_turn[turn - 1]
        assert won > expected - 4 * error
        if policy == "shanten" or turn == 1:  # the other one may change what it waits for
            assert won < expected + 4 * error
    assert choice.ready_by_turn[0] == 1
    assert sum(choice.totals.values()) == choice.wins


@pytest.mark.parametrize(
    "text", ["123456m78p1299s1s", "[EEE]111m23m78p99s5s|EE", "234m567m345p6778s"]
)
def test_one_from_ready_wins_as_often_as_it_must(text):
    expected = exact_chances(text)
    errors = np.sqrt(expected * (1 - expected) / 6000)
    choice = simulate(text, samples=6000, seed=2, policy="shanten", **ALONE).choices[0]
    weighed = simulate(text, samples=6000, seed=2, **ALONE).choices[0]
    assert weighed.win_chance > expected[-1] - 4 * errors[-1]
    assert expected[-1] > 0
    assert (np.abs(choice.win_by_turn - expected) <= 4 * errors + 1e-12).all()


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("[234m,1][456p,1][789s,1]13s55p", "222s"),  # nine points with the last 2s, five before
        ("[234m,1][456p,1][789s,1]13s55p", "22s"),  # the third 2s goes, the fourth wins
        ("[234m,1][456p,1][789s,1]13s55p", ""),
        ("[234m,1][456p,1][789s,1]13s5p9m", "22s5p"),
    ],
)
def test_the_last_of_its_kind_wins_as_often_as_it_must(text, visible):
    expected = exact_chances(text, visible=visible, draws=30)
    assert expected[-1] > 0
    by_kernel, by_function = (
        simulate(
            text, visible=visible, samples=n, seed=2, policy=policy, **ALONE | {"draws": 30}
        ).choices[0]
        for n, policy in ((20_000, "shanten"), (2000, by_shanten))
    )
    for choice in (by_kernel, by_function):
        errors = np.sqrt(expected * (1 - expected) / choice.samples)
        assert (np.abs(choice.win_by_turn - expected) <= 4.5 * errors + 1e-12).all()
    assert by_kernel.fans["和绝张"] == by_kernel.wins > 0


@pytest.mark.parametrize(
    ("text", "visible", "claims"),
    [
        ("123456789m1234p", "", 0.9),
        ("123456m78p1299s1s", "", 0.9),
        ("[EEE]111m23m78p99s5s|EE", "", 0.4),
        ("234m567m345p6778s", "67s", 0.9),
        ("[345s][234m][678p]1388p", "", 0.9),
        ("[234m,1][456p,1][789s,1]13s55p", "22s", 0.9),  # nine points with the last 2s alone
        ("[234m,1][456p,1][789s,1]13s55p", "", 1.0),
        ("[234m,1][456p,1][789s,1]13s5p9m", "22s5p", 0.9),
        ("22m567m345p67s24s8s", "3s", 0.5),
    ],
)
def test_wins_on_discards_are_as_many_as_they_must_be(text, visible, claims):
    expected = exact_chances(text, visible=visible, claims=claims)
    assert expected[-1] > 0
    found = simulate(
        text,
        visible=visible,
        samples=20_000,
        seed=3,
        policy="shanten",
        **ALONE | {"claims": claims},
    ).choices[0]
    errors = np.sqrt(expected * (1 - expected) / found.samples)
    assert (np.abs(found.win_by_turn - expected) <= 4 * errors + 1e-12).all()
    assert (expected >= exact_chances(text, visible=visible, claims=claims / 2) - 1e-12).all()


def test_certain_discards_are_counted_like_draws():
    """Every tile is a chance: 6 of 123 tiles win, four come a round."""
    found = exact_chances("123456789m1234p", claims=1, draws=5)
    expected = [1 - comb(117, 4 * turn) / comb(123, 4 * turn) for turn in range(1, 6)]
    assert np.allclose(found, expected)
    nearly = exact_chances("123456789m1234p", claims=1e-9, draws=5)
    assert np.allclose(nearly, exact_chances("123456789m1234p", draws=5))


@pytest.mark.parametrize("policy", ["shanten", "fan", "weigh"])
def test_a_hand_that_waits_for_its_own_melds_is_not_ready(policy):
    found = simulate(
        "[2222m]13m456p789sEE",
        samples=200,
        seed=1,
        policy=policy,
        min_fan=0,
        **ALONE | {"draws": 1},
    ).choices[0]
    assert found.ready_by_turn[0] < 1
    assert found.distance == 1


def test_exact_chances_are_refused_farther_away():
    with pytest.raises(ValueError, match="from ready"):
        exact_chances("1359m2468p13579s")
    with pytest.raises(ValueError, match="claims"):
        exact_chances("123456789m1234p", claims=1.5)
    with pytest.raises(ValueError, match="124 tiles would be drawn, but only 123"):
        exact_chances("123456789m1234p", claims=0.5, draws=31)


def test_the_seed_is_all_that_matters():
    runs = [
        simulate("12399m456p78s99s1sE", samples=1200, seed=3, threads=threads, claims=0.5)
        for threads in (1, 2)
    ]
    assert str(runs[0]) == str(runs[1])
    assert [c.totals for c in runs[0].choices] == [c.totals for c in runs[1].choices]


def test_what_cannot_be_played_is_refused():
    with pytest.raises(InvalidHand, match="visible"):
        simulate("123456789m1234p", visible="1111m", seed=1)
    with pytest.raises(ValueError, match="only"):
        simulate("123456789m1234p", draws=40, claims=0.5, seed=1)
    for bad in ({"policy": "luck"}, {"claims": 2}, {"samples": 0}, {"standard_error": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            simulate("123456789m1234p", **{"seed": 1, **bad})


@pytest.mark.parametrize("options", [
    {"draws": 2.5}, {"draws": 0}, {"draws": -1}, {"draws": "many"}, {"samples": 10**13},
    {"samples": True},
    {"seed": 2**69}, {"seed": -1}, {"seed": "x"}, {"min_fan": 2**70}, {"min_fan": float("nan")},
])  # fmt: skip
def test_numbers_that_make_no_sense_are_told(options):
    with pytest.raises(ValueError, match=f"^{next(iter(options))} must be a whole number from"):
        simulate("123456789m1234p", **{"seed": 1, **options})


def test_any_seed_will_do():
    def wins(seed):
        found = simulate("123456789m1234p", samples=200, seed=seed, policy="shanten", threads=1)
        again = simulate(
            "123456789m1234p", samples=200, seed=found.seed, policy="shanten", threads=1
        )
        assert found == again
        return found.seed

    assert wins(np.uint8(7)) == wins(np.int64(7)) == wins(7) == 7
    assert wins(None) != wins(None)
    assert wins(np.random.default_rng(1)) == wins(np.random.default_rng(1))


@pytest.mark.parametrize("samples", [50_000, 10**10])
@pytest.mark.parametrize("policy", ["weigh", "shanten"])
def test_stopping_keeps_what_is_done(samples, policy):
    """However many samples are wanted: memory does not grow with them."""

    def stop(done: int, wanted: int) -> None:
        assert 0 < done < wanted == samples
        raise KeyboardInterrupt

    found = simulate("123456789m1234p", samples=samples, seed=1, policy=policy, progress=stop)
    assert not found.complete
    assert 0 < found.choices[0].samples < 50_000


def test_an_error_is_not_zero_before_the_first_win():
    """As if one more had won: 1 / n, so that 2e-4 takes three looks of 2000 samples."""
    found = simulate(
        "147m258p369sESCF", min_fan=400, samples=50_000, standard_error=2e-4, seed=1,
        policy="shanten", **ALONE | {"draws": 1},
    )  # fmt: skip
    choice = found.choices[0]
    assert (choice.wins, choice.samples, found.complete) == (0, 6000, True)
    assert choice.win_error == pytest.approx(1 / 6000, rel=0.01)
    assert (choice.distance, choice.exact) == (127, False)  # nothing scores 400


def test_more_points_than_any_hand_has_are_never_won():
    found = simulate("123456789m1234p", min_fan=400, samples=500, seed=1, draws=6)
    assert (found.min_fan, found.choices[0].wins, found.choices[0].distance) == (400, 0, 127)
    assert 0 < found.choices[0].win_error < 0.01
    assert "400 fan by GB98 (no such hand was found)" in found.title
    found = simulate("123456789m1234p", samples=20, seed=1, draws=6)
    assert "8 fan by GB98;" in found.title


def test_a_wanted_error_stops_every_run_at_the_same_sample():
    runs = [
        simulate("123456m78p1299s1s", standard_error=0.006, seed=4, threads=threads)
        for threads in (1, 3)
    ]
    assert str(runs[0]) == str(runs[1])
    assert runs[0].complete
    assert runs[0].choices[0].win_error <= 0.006 < 0.5 / 2000**0.5
    assert runs[0].choices[0].samples < 20_000


# --- policies as functions


def by_shanten(turn: Turn) -> np.ndarray:
    """The policy ``shanten``, written with public functions."""
    before = turn.counts.copy()
    rows = np.arange(len(before))
    before[rows, turn.drawn] -= 1
    melds, visible = turn.melds, turn.visible
    accepted = acceptance_batch(before, melds=melds, visible=visible, threads=1)
    found = discards_batch(turn.counts, melds=melds, visible=visible, threads=1)
    held = turn.counts > 0
    shanten = np.where(held, found.shanten, 99).astype(int)
    best = np.argmin(shanten * 1000 - np.where(held, found.copies, 0), axis=1)
    keeps = (accepted.mask >> turn.drawn & 1 == 1) & (accepted.shanten > 0)
    return np.where(keeps, best, turn.drawn)


@pytest.mark.parametrize(("claims", "others"), [(0.0, 0.0), (0.4, 0.0), (0.9, 1.0), (0.0, 1.0)])
@pytest.mark.parametrize(
    "text", ["12357m458p2467sEC", "[EEE]111m23m78p99s5s|EE", "24m5579p34689sEE", "123456789m1234p"]
)
def test_a_policy_function_plays_like_the_kernels(text, claims, others):
    known, own = (
        simulate(
            text,
            samples=300,
            draws=12,
            seed=5,
            claims=claims,
            others=others,
            melding=False,
            policy=policy,
        )
        for policy in ("shanten", by_shanten)
    )
    assert own.policy == "by_shanten"
    for one, other in zip(known.choices, own.choices, strict=True):
        for name, value in vars(one).items():
            assert np.array_equal(
                value, vars(other)[name], equal_nan=isinstance(value, (float, tuple))
            ), name


def test_a_policy_sees_what_there_is_to_see():
    seen = []

    def look(turn: Turn) -> np.ndarray:
        seen.append(turn)
        return turn.drawn

    simulate(
        "[EEE]111m23m78p99s5s|EE",
        samples=20,
        visible="5p",
        seed=1,
        policy=look,
        **ALONE | {"draws": 4},
    )
    assert [turn.number for turn in seen] == [0, 1, 2, 3]
    last = seen[-1]
    assert (last.counts.sum(1) == 11).all()
    assert (last.visible.sum(1) == 4).all()  # three discards, one tile shown
    assert (last.visible[:, 13] >= 1).all()
    assert (last.counts[np.arange(len(last.drawn)), last.drawn] > 0).all()
    assert (last.melds[:, 1:] == 0).all()
    assert (last.seat_wind, last.prevalent_wind, last.min_fan, last.draws) == (0, 0, 8, 4)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda turn: turn.drawn[:1], "integers"),
        (lambda turn: turn.drawn.astype(float), "integers"),
        (lambda turn: turn.drawn + 34, "not hold"),
        (lambda turn: np.full(len(turn.drawn), -1), "not hold"),
        (lambda turn: np.argmin(turn.counts, axis=1), "not hold"),
    ],
)
def test_a_policy_that_cannot_be_followed_is_refused(policy, message):
    with pytest.raises(ValueError, match=message):
        simulate("12357m458p2467sE", samples=50, seed=1, policy=policy)


def test_an_error_in_a_policy_comes_through():
    def broken(turn: Turn) -> np.ndarray:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        simulate("12357m458p2467sE", samples=50, seed=1, policy=broken)


# --- discards that lead to the same hand


@pytest.mark.parametrize("policy", ["shanten", "fan"])
@pytest.mark.parametrize("claims", [0.0, 0.3])
@pytest.mark.parametrize(
    "text",
    [
        "24m5579p34689sEEC",
        "123m456p137899sEC",  # some join one that was ready, was not, and is ready again
    ],
)
def test_a_discard_is_played_on_as_if_it_were_alone(text, policy, claims):
    """Against the same walls, with the same hands to steer for, each discard by itself."""
    options = {"draws": 14, "others": 0, "melding": False}
    game = game_of(text, claims=claims, policy=policy, **options)
    (engine,) = game.engines.values()
    whole = engine.play(game.candidates, 6, 0, 400)
    assert (whole.how > 0).sum() > 50
    for place, candidate in enumerate(game.candidates):
        alone = engine.play([candidate], 6, 0, 400)
        for name, values in vars(whole).items():
            assert np.array_equal(values[place], vars(alone)[name][0]), (candidate.discard, name)


# --- steering


def _targets(seed: int) -> np.ndarray:
    wins = random_wins(400, seed=seed)
    return wins.counts[(wins.melds == 0).all(1)].astype(int)


def _costs(targets: np.ndarray) -> np.ndarray:
    return np.full(-(-len(targets) // BLOCK) * BLOCK, FAR, np.uint8)


def _masks(counts: np.ndarray) -> tuple[np.int64, ...]:
    return tuple(np.int64(mask) for mask in masks_of(counts))


def test_targets_are_counted_as_a_loop_counts_them():
    rng = np.random.default_rng(7)
    targets = _targets(1)
    columns, costs = masks_of(targets), _costs(targets)
    for deal in random_deals(40, seed=2).astype(int):
        gone = rng.integers(0, 5 - deal)
        possible = 4 - gone
        reached = (targets <= possible).all(1)
        missing = np.where(reached, np.maximum(targets - deal, 0).sum(1), FAR)
        fewest = target_costs(columns, _masks(deal), _masks(possible), costs)
        assert costs[: len(targets)].tolist() == missing.tolist()
        assert fewest == missing.min()
        fewest, watched = tiles_to_watch(columns, _masks(deal), _masks(possible), costs)
        near = targets[missing <= fewest + 1]
        expected = (near > deal).any(0) if fewest < FAR else np.ones(34, bool)
        assert np.flatnonzero(expected).tolist() == [t for t in range(34) if watched >> t & 1]


def test_the_discard_is_the_one_that_the_documentation_names():
    rng = np.random.default_rng(8)
    targets = _targets(3)
    columns, costs = masks_of(targets), _costs(targets)
    memory = np.zeros((2, 34), np.int64)
    for deal in random_deals(40, seed=4).astype(int):
        drawn = int(rng.choice(np.flatnonzero(deal < 4)))
        hand = deal + np.eye(34, dtype=int)[drawn]
        gone = rng.integers(0, np.minimum(5 - hand, 2))
        possible, left = 4 - gone, 4 - gone - hand
        live = targets[(targets <= possible).all(1)]
        ranked = []
        for out in np.flatnonzero(hand):
            rest = hand - np.eye(34, dtype=int)[out]
            missing = np.maximum(live - rest, 0).sum(1)
            nearest = live[missing == missing.min()]
            copies = left[(nearest > rest).any(0)].sum()
            ranked.append((missing.min(), -copies, -len(nearest), out))
        best, fewest, _ = discard_by_targets(columns, _masks(hand), _masks(possible), costs, memory)
        assert (fewest, best) == (min(ranked)[0], min(ranked)[3])


def test_nothing_to_steer_for_is_said():
    none = np.zeros((4, 0), np.int64)
    masks = _masks(random_deals(1, seed=1)[0].astype(int))
    costs, memory = np.zeros(0, np.uint8), np.zeros((2, 34), np.int64)
    assert discard_by_targets(none, masks, masks, costs, memory)[0] == -1


def test_hands_to_steer_for_score_enough_and_are_the_nearest():
    from fastmj import HandBatch, score_batch, shanten_batch
    from fastmj.rules import GB98

    deal = random_deals(1, seed=5)[0].astype(np.int64)
    none, codes = np.zeros((1, 34), np.uint8), np.zeros((1, 4), np.uint8)
    columns = goals_of(deal[None].astype(np.uint8), none, codes, 8, True, EAST, GB98)
    whole = sum((columns[i][:, None] >> np.arange(34) & 1) for i in range(4))
    missing = np.maximum(whole - deal, 0).sum(1)
    assert set(missing) == {missing.min(), missing.min() + 1}
    assert missing.min() > int(shanten_batch(deal[None]).best[0])
    rows, tiles = np.nonzero(whole > deal)
    scores = score_batch(HandBatch(whole[rows], win_tile=tiles, self_drawn=True))
    best = np.zeros(len(whole), int)
    np.maximum.at(best, rows, scores.base)
    assert (best >= 8).all()


def test_looking_at_fan_wins_more():
    more = []
    for number, deal in enumerate(random_deals(25, seed=9)):
        text = format_tiles(tiles_of(deal.tolist()))
        fan, plain = (
            simulate(text, samples=400, seed=number, policy=policy, **ALONE).choices[0].win_chance
            for policy in ("fan", "shanten")
        )
        more.append(fan - plain)
    assert np.mean(more) > 3 * np.std(more) / len(more) ** 0.5


def test_a_hand_too_far_to_steer_plays_by_shanten():
    text = "147m258p369sESCF"
    runs = [
        simulate(text, samples=300, seed=1, policy=policy, min_fan=500, **ALONE | {"draws": 6})
        for policy in ("fan", "shanten")
    ]
    assert [choice.wins for choice in runs[0].choices] == [0] * len(runs[0].choices)
    assert np.array_equal(runs[0].choices[0].ready_by_turn, runs[1].choices[0].ready_by_turn)
