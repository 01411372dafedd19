"""Answers worked out by hand from the rules: disputes, each fan, the examples of the guide.

``data/cases.jsonl`` holds disputes of players, ``data/fans.jsonl`` for every fan hands that have it
and hands that only just do not, and every sentence of the rules that a hand can show, and
``data/guide.jsonl`` the examples of the guide to the rules. One hand a line: ``rules`` are the
profiles that it is for and ``options`` what is changed in them; ``fans`` the breakdowns of equal
worth, the one that the order of the rules prefers first; ``hit`` and ``miss`` fans that it is there
to show or to lack; ``implied`` fans that hold and are not counted.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fastmj import (
    FANS,
    GB98,
    WMO2006,
    Hand,
    HandBatch,
    InvalidHand,
    Rules,
    Status,
    parse_hand,
    score_batch,
    score_hand,
)
from fastmj.reference import explain

Entry = dict[str, Any]
_DATA = Path(__file__).parent / "data"
_PROFILES = {"GB98": GB98, "WMO2006": WMO2006}


def _entries(name: str) -> list[Entry]:
    with (_DATA / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [{**json.loads(line), "file": name} for line in lines]


CASES, BY_FAN, GUIDE = _entries("cases"), _entries("fans"), _entries("guide")
ENTRIES = CASES + BY_FAN + GUIDE
SCORED = [entry for entry in ENTRIES if "error" not in entry]


def _name(entry: Entry) -> str:
    return f"{entry['file']}:{entry['id']}"


def _hand(entry: Entry) -> Hand:
    return parse_hand(entry["hand"]) if "hand" in entry else Hand(**entry["kwargs"])


def _profiles(entry: Entry) -> list[Rules]:
    return [_PROFILES[name].replace(**entry.get("options", {})) for name in entry["rules"]]


def _by_name(counts: dict[int, int]) -> dict[str, int]:
    return {FANS[fan].zh: times for fan, times in counts.items()}


def _check(entry: Entry, fans: dict[str, int], total: int, wins: bool) -> None:
    wanted = (entry["fans"][0], entry["total"], entry["wins"])
    assert (fans, total, wins) == wanted, f"{_name(entry)}: {entry.get('note', '')}"


@pytest.mark.parametrize("entry", SCORED, ids=_name)
def test_reference(entry: Entry) -> None:
    hand = _hand(entry)
    for rules in _profiles(entry):
        result = explain(hand, rules)
        _check(entry, _by_name(result.fans), result.total, result.wins)
        if "implied" in entry:
            assert result.chosen is not None
            dropped = {item.fan.zh for item in result.chosen.not_counted}
            assert set(entry["implied"]) <= dropped


@pytest.mark.parametrize("entry", SCORED, ids=_name)
def test_one_hand(entry: Entry) -> None:
    hand = _hand(entry)
    for rules in _profiles(entry):
        score = score_hand(hand, rules=rules)
        _check(entry, score.fans, score.total, score.wins)
        assert score.status == (Status.OK if entry["fans"][0] else Status.NOT_COMPLETE)


def test_one_batch_a_profile() -> None:
    rows: dict[Rules, list[Entry]] = {}
    for entry in SCORED:
        for rules in _profiles(entry):
            rows.setdefault(rules, []).append(entry)
    assert len(rows[GB98]) > 400 and len(rows[WMO2006]) > 200
    for rules, entries in rows.items():
        batch = HandBatch.from_hands([_hand(entry) for entry in entries])
        scores = score_batch(batch, rules=rules, fan_counts=True)
        assert scores.fan_counts is not None
        for row, entry in enumerate(entries):
            counts = {fan: int(n) for fan, n in enumerate(scores.fan_counts[row]) if n}
            total, wins = int(scores.total[row]), bool(scores.wins[row])
            _check(entry, _by_name(counts), total, wins)


@pytest.mark.parametrize("entry", [e for e in ENTRIES if "error" in e], ids=_name)
def test_impossible_hands(entry: Entry) -> None:
    with pytest.raises(InvalidHand) as caught:
        _hand(entry)
    assert caught.value.status.name == entry["error"]


@pytest.mark.parametrize(
    "entry", [e for e in SCORED if "total_without_knitted_waits" in e], ids=_name
)
def test_waits_of_a_knitted_straight_are_an_option(entry: Entry) -> None:
    hand = _hand(entry)
    for rules in _profiles(entry):
        without = rules.replace(knitted_waits=False)
        wanted = entry["total_without_knitted_waits"]
        assert explain(hand, without).total == score_hand(hand, rules=without).total == wanted


@pytest.mark.parametrize("entry", SCORED, ids=_name)
def test_entry_adds_up(entry: Entry) -> None:
    for rules in _profiles(entry):
        for fans in entry["fans"]:
            assert sum(rules.points(fan) * n for fan, n in fans.items()) == entry["total"]
        flowers = entry["fans"][0].get("花牌", 0) * rules.points("花牌")
        base = entry["total"] - flowers
        assert entry["wins"] == (bool(entry["fans"][0]) and base >= rules.min_fan)
    assert set(entry.get("hit", [])) <= entry["fans"][0].keys()
    assert not set(entry.get("miss", [])) & entry["fans"][0].keys()


def test_nothing_is_there_twice() -> None:
    assert max(Counter(map(_name, ENTRIES)).values()) == 1
    assert len(CASES) == 109


@pytest.mark.parametrize("profile", _PROFILES)
@pytest.mark.parametrize("shown", ["hit", "miss"])
def test_every_fan_has_a_hit_and_a_near_miss(shown: str, profile: str) -> None:
    plain = [e for e in BY_FAN if profile in e["rules"] and "options" not in e]
    covered = {fan for entry in plain for fan in entry.get(shown, [])}
    assert covered == {fan.zh for fan in FANS}


@pytest.mark.parametrize("entry", GUIDE, ids=_name)
def test_guide_example_has_what_the_guide_adds(entry: Entry) -> None:
    """Its heading and what it lists, nothing else but what the entry says is beside it."""
    said = {entry["heading"], *entry["listed"]} - set(entry.get("dropped", []))
    assert entry["fans"][0].keys() == said | set(entry.get("unlisted", []))
