"""Examples of each command, for the end of its help."""

from __future__ import annotations

from rich.markup import escape

EXAMPLES: dict[str, tuple[str, ...]] = {
    "score": (
        'fastmj score "[123m,1][5555p]456s78s99m9s|EE1000|2"',
        "fastmj score --explain --self-drawn --seat S 123456789m12355p",
        "fastmj score --file hands.txt --json",
        "fastmj score --svg - 123456789m12355p > hand.svg",
    ),
    "fans": ("fastmj fans", "fastmj fans 平和", "fastmj fans --json --rules regional"),
    "shanten": ("fastmj shanten 123m456p789s11223z",),
    "waits": ('fastmj waits "123m456p7899s[EEE]|ES|2" --visible 9s',),
    "discards": (
        "fastmj discards 123m456p789s11223z",
        "fastmj discards --form seven_pairs 1122m3344p5566s7z1z",
    ),
    "routes": ("fastmj routes 123m456p789s11223z --least 8",),
    "analyze": ("fastmj analyze 123m456p789s11223z --samples 100 --draws 6",),
    "targets": ("fastmj targets 123m456p789s1122z --most 3",),
    "review": ("fastmj review games.txt --player 0 --json",),
    "batch": (
        "fastmj batch hands.parquet scored.parquet",
        "fastmj batch --column hand --keep id hands.csv scored.csv --force",
        "fastmj batch hands.parquet parts",
    ),
    "stats": ("fastmj stats scored.parquet", "fastmj stats games.txt --plot games.png"),
    "replay": ("fastmj replay games.txt", "fastmj replay games.txt --rules wmo2006 --json"),
    "convert": ("fastmj convert games.txt games.json",),
    "decisions": ("fastmj decisions games.txt decisions.parquet",),
    "warmup": ("fastmj warmup", "fastmj warmup --clear"),
}


def epilog(command: str) -> str:
    """Examples of a command as rich wants them: a line a paragraph."""
    lines = EXAMPLES.get(command, ())
    return "\n\n".join(["[dim]Examples[/dim]", *map(escape, lines)]) if lines else ""
