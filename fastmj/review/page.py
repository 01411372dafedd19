"""A review as one page of HTML that needs nothing else: no scripts, fonts or links elsewhere."""

from __future__ import annotations

from html import escape

from ..hands.hand import Hand
from ..hands.notation import read_hand
from ..hands.tiles import parse_tiles
from ..pictures import hand_svg
from .games import Decision, Option, Review

SEATS = ("East", "South", "West", "North")
#: Options that are shown of a decision, and decisions that are named at the top.
_SHOWN, _DEAREST = 5, 5
_STYLE = """
:root { color-scheme: light dark; --back: #f6f5f1; --card: #fff; --text: #22221f; --dim: #6b6a63;
  --line: #dddbd2; --best: #1c7c4d; --close: #8a6d00; --worse: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --back: #191917; --card: #242421; --text: #ecebe4; --dim: #a3a196; --line: #3c3b36;
    --best: #6fcf9b; --close: #e0c05a; --worse: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: .25rem 0; }
.dim { color: var(--dim); font-size: .9rem; }
section { background: var(--card); border: 1px solid var(--line); border-left-width: 6px;
  border-radius: 8px; padding: 1rem; margin: 1rem 0; }
section.best { border-left-color: var(--best); }
section.close { border-left-color: var(--close); }
section.worse { border-left-color: var(--worse); }
.mark { float: right; font-weight: 600; font-size: .95rem; }
.best .mark { color: var(--best); } .close .mark { color: var(--close); }
.worse .mark { color: var(--worse); }
svg { max-width: 100%; height: auto; display: block; margin: .5rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .9rem .15rem 0; text-align: right; white-space: nowrap; }
th { font-weight: 500; color: var(--dim); border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
tr.done td { font-weight: 650; }
a { color: inherit; }
"""


def review_page(review: Review) -> str:
    """A review as a page of HTML.

    Parameters
    ----------
    review : Review

    Returns
    -------
    str
        The whole page, with the hands drawn; it fits light and dark screens.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> from fastmj.review import review_game
    >>> page = review_page(review_game(play_game(seed=1), 3, seconds=0.01))
    >>> page[:15], page.count("<section") == page.count("<svg")
    ('<!DOCTYPE html>', True)
    """
    name = f"{review.game.name}: {SEATS[review.player]}"
    names = review.game.players
    if names and names[review.player]:
        name += f", {names[review.player]}"
    cards = [_card(number, each) for number, each in enumerate(review.decisions, 1)]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(name)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(name)}</h1>{_summary(review)}{''.join(cards)}</body></html>\n"
    )


def _summary(review: Review) -> str:
    counts = {"best": 0, "close": 0, "worse": 0}
    for each in review.decisions:
        counts[each.verdict] += 1
    settings = review.settings
    model = (
        f"Others discard {settings['claims']:.0%} of what they draw, and win "
        f"×{settings['others']:g} as often as in real games; policy {settings['policy']}; "
        f"{settings['min_fan']} fan by {settings['rules']}; ranked by {settings['by']}; about "
        f"{settings['seconds']:g} s a decision, seed {settings['seed']}."
    )
    stopped = "" if review.complete else " Stopped before the end of the game."
    text = (
        f"<p>{len(review.decisions)} decisions: {counts['best']} as the roll-outs prefer, "
        f"{counts['close']} not surely worse, {counts['worse']} worse. In all they cost "
        f"{review.win_cost:.1%} of a win and {review.payment_cost:.1f} points.{stopped}</p>"
        f'<p class="dim">{escape(model)} ± is the standard error; the costs are differences over '
        "the same walls. The best of many is in part luck, so with few roll-outs sums of costs "
        "run high. The tile apart is the one drawn or offered, after a claim the one "
        "discarded.</p>"
    )
    worst = sorted(
        (pair for pair in enumerate(review.decisions, 1) if pair[1].verdict == "worse"),
        key=lambda pair: -_cost(pair[1]),
    )[:_DEAREST]
    if worst:
        links = ", ".join(
            f'<a href="#d{number}">{number} ({escape(each.question.done)})</a>'
            for number, each in worst
        )
        text += f"<p>The dearest: {links}.</p>"
    return text


def _cost(decision: Decision) -> float:
    done = decision.done
    return done.payment_cost if decision.by == "points" else done.win_cost


def _card(number: int, decision: Decision) -> str:
    question, done = decision.question, decision.done
    what = f"{question.offered} from {'the ' * (question.source != 'across')}{question.source}"
    if not question.offered:
        what = f"drew {question.drawn}" if question.drawn else "after a claim"
    mark = {"best": "best", "close": "not surely worse", "worse": "worse"}[decision.verdict]
    if decision.verdict != "best":
        mark += f": {done.win_cost:.1%} of a win, {done.payment_cost:.1f} points"
    rows = list(decision.options[:_SHOWN])
    if done not in rows:
        rows.append(done)
    head = "".join(f"<th>{name}</th>" for name in ("", "wins", "cost", "pays", "cost", "roll-outs"))
    body = "".join(_row(one, one is done, one is decision.best) for one in rows)
    return (
        f'<section class="{decision.verdict}" id="d{number}"><span class="mark">{mark}</span>'
        f"<h2>{number}. Turn {question.turn + 1}, {escape(what)}: {escape(question.done)}</h2>"
        f'<div class="wide">{hand_svg(_hand(decision), height=44)}<table><tr>{head}</tr>{body}'
        f'</table></div><p class="dim">line {question.line}; {question.draws} draws to come'
        f"{'; ' + _points(question.win) if question.win else ''}</p></section>"
    )


def _points(win: int) -> str:
    return f"a win of {win} points"


def _row(option: Option, done: bool, best: bool) -> str:
    cells = [
        option.name,
        f"{option.win_chance:.1%} ± {100 * option.win_error:.1f}",
        "" if best else f"{option.win_cost:.1%} ± {100 * option.win_cost_error:.1f}",
        f"{option.payment:+.1f} ± {option.payment_error:.1f}",
        "" if best else f"{option.payment_cost:.1f} ± {option.payment_cost_error:.1f}",
        f"{option.samples:,}" if option.samples else "certain",
    ]
    mark = ' class="done"' if done else ""
    return f"<tr{mark}>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _hand(decision: Decision) -> Hand:
    """The hand as it is drawn: one tile lies apart."""
    question = decision.question
    fields = read_hand(question.hand, "chinese")
    tiles = list(fields.tiles)
    apart = question.drawn or question.done
    if question.offered:
        apart = question.offered
        tiles += parse_tiles(apart)
    return Hand(
        tiles, parse_tiles(apart)[0], fields.melds,
        flowers=fields.circumstances.get("flowers", 0),
    )  # fmt: skip
