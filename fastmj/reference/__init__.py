"""The readable scorer: plain Python, written from RULES section by section.

It is what the kernels are held to, and it explains a score. ``readings`` lists the ways to read a
hand (sections 2, 3, 6), ``conditions`` says when a fan holds (section 4), ``combine`` chooses the
fans made of several sets (section 5), ``explain`` adds up and picks the best reading (section 3).
``doubling`` says when a type of doubling rules holds (section 9).
"""

from .explanation import Counted, Explanation, NotCounted, ScoredReading, explain
from .readings import Block, Reading, list_readings, waiting_tiles

__all__ = [
    "Block",
    "Counted",
    "Explanation",
    "NotCounted",
    "Reading",
    "ScoredReading",
    "explain",
    "list_readings",
    "waiting_tiles",
]
