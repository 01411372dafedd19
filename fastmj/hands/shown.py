"""How a hand looks in a notebook, which a room above this one knows."""

from __future__ import annotations

from functools import singledispatch


@singledispatch
def html_of(thing: object) -> str | None:
    """HTML of a thing; None, of which notebooks make its ``repr``, where nobody can draw it."""
    return None
