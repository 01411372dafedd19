"""Texts of others in messages: short, on one line, and nothing in them that a terminal obeys."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable

#: What has no glyph: control characters, marks of direction, halves of characters, unknown ones.
_UNSEEN = re.compile(r"[^ -~\u3000]")


class _Short(reprlib.Repr):
    """Writes values in at most some 80 characters."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 80

    def repr_int(self, x: int, level: int) -> str:
        """Whole numbers, also those that Python does not write."""
        return super().repr_int(x, level) if x.bit_length() < 10_000 else "a number of many digits"

    def repr_instance(self, x: object, level: int) -> str:
        """What has a form of its own, such as an array, on one line."""
        return " ".join(super().repr_instance(x, level).split())


#: A value as Python writes it, cut in the middle where that is longer than some 80 characters.
quoted: Callable[[object], str] = _Short().repr


def escaped(text: str) -> str:
    r"""Text with all that cannot be seen written as Python writes it, so that it has one line.

    >>> print(escaped("a\x1b]0;title\x07\nb 中发白"))
    a\x1b]0;title\x07\nb 中发白
    """
    return text if text.isprintable() else _UNSEEN.sub(_written, text)


def shown(text: str, most: int = 80) -> str:
    """Text escaped, and cut in the middle where it is longer than so many characters.

    >>> shown("a" * 100 + "b", 6)
    'a...ab'
    """
    half = (most - 3) // 2
    return escaped(text if len(text) <= most else f"{text[:half]}...{text[-(most - 3 - half) :]}")


def _written(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else found[0].encode("unicode_escape").decode()
