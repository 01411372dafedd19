"""A user's script, for type checkers: mypy --strict and pyright pass it.

Lines that must be errors are marked, and a mark without an error is one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastmj import (
    FANS,
    GB98,
    REGIONAL,
    WMO2006,
    Hand,
    HandBatch,
    HandScore,
    InvalidHand,
    Meld,
    Rules,
    ScoreBatch,
    Status,
    acceptance,
    discards,
    fan_distance_batch,
    min_fan_shanten,
    parse_hand,
    parse_hands,
    random_deals,
    random_wins,
    routes,
    score_batch,
    score_hand,
    settle,
    shanten,
    shanten_batch,
    simulate,
    validate,
    waits,
    waits_scores_batch,
)
from fastmj.records import Decision, DecisionBatch, decisions
from fastmj.records.play import play_game


def single() -> HandScore:
    score = score_hand("123456789m12355p", self_drawn=True, seat_wind="S", flowers=2)
    status: Status = score.status
    names: dict[str, int] = score.fans
    assert status is Status.OK and names["清龙"] == 1 and score.total > score.base
    house: Rules = GB98.replace(name="house", min_fan=6, knitted_waits=False, values={"双暗杠": 8})
    hand: Hand = parse_hand("[EEE]123m456p78999s").replace(win_tile="9s", self_drawn=True)
    melds: tuple[Meld, ...] = hand.melds
    try:
        score_hand("11111m")
    except InvalidHand as error:
        cause: Status = error.status
        print(cause.message, len(melds), Hand("123m456p78999s", "9s", ["EEE"]) == hand)
    for line in str(score_hand(hand, rules=house).explain()).splitlines():
        print(line)
    return score_hand(hand, rules=REGIONAL if score.wins else WMO2006)


def many() -> npt.NDArray[np.int16]:
    batch: HandBatch = random_wins(100, seed=1)
    scores: ScoreBatch = score_batch(batch, rules=WMO2006, fan_counts=True)
    one: HandScore = scores[0]
    some: ScoreBatch = scores[scores.wins]
    hands: list[Hand] = list(batch)
    bad: npt.NDArray[np.uint16] = validate(batch[:10])
    parsed = parse_hands([str(hand) for hand in hands])
    assert parsed.batch == batch and not bad.any() and len(some) <= len(scores)
    payments: npt.NDArray[np.int64] = settle(scores.total, 0, 1)
    print(one.total, payments.sum(), batch[3].win_tile, FANS["清龙"].points)
    return scores.total


def distances() -> None:
    deals: npt.NDArray[np.uint8] = random_deals(100, tiles=13, seed=1)
    best: npt.NDArray[np.int8] = shanten_batch(deals).best
    live: npt.NDArray[np.int64] = waits_scores_batch(deals, rules=WMO2006).live
    far: npt.NDArray[np.int8] = fan_distance_batch(deals).distance
    print(best.min(), live.max(), far.shape, shanten("123456789m1234p").best)
    tiles: tuple[int, ...] = acceptance("123456789m1234p", visible="11p").tiles
    for wait in waits("234m567m345p678s5s"):
        number: int = wait.left
        print(number, wait.verdict, tiles)
    print(discards("123456789m1234pE")[0].copies, min_fan_shanten("123456789m1234p").distance)
    print([route.distance for route in routes("123456789m1234p")])
    print(simulate("123456789m1234p", samples=100, seed=1).choices[0].win_chance)


def games() -> int:
    rows: DecisionBatch = decisions([play_game(seed=1)])
    decision: Decision = rows[3]
    return decision.action + int(rows.legal.sum())


def wrong() -> None:
    """Misspelt names, and values of another kind."""
    score_hand("123456789m12355p", selfdrawn=True)  # type: ignore[call-arg]
    score_hand("123456789m12355p", self_drawn="yes")  # type: ignore[arg-type]
    parse_hand("123456789m12355p").replace(flower=2)  # type: ignore[call-arg]
    Hand("123456789m12355p", "5p", selfdrawn=True)  # type: ignore[call-arg]
    Hand.from_botzone([], "W1", "W1", flower=2)  # type: ignore[call-arg]
    GB98.replace(minfan=6)  # type: ignore[call-arg]
    GB98.replace(doubles_again=True)  # type: ignore[call-arg]
    REGIONAL.replace(knitted_waits=True)  # type: ignore[call-arg]
    random_wins(10, sed=1)  # type: ignore[call-arg]
    waits_scores_batch([], seatwind=1)  # type: ignore[call-arg]
    score_batch(["123456789m12355p"])  # type: ignore[arg-type]
    simulate("123456789m1234p", policy="fast")  # type: ignore[arg-type]
    random_wins(10).to_arrow("rows")  # type: ignore[arg-type]


if __name__ == "__main__":
    single()
    many()
    distances()
    games()
