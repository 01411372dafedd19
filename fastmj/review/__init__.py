"""Recorded games looked at again: what each decision cost, by roll-outs."""

from __future__ import annotations

from .asked import Question, questions
from .games import Decision, Option, Review, review_game
from .page import review_page

__all__ = [
    "Decision",
    "Option",
    "Question",
    "Review",
    "questions",
    "review_game",
    "review_page",
]
