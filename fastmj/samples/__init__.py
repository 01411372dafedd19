"""Random hands for tests, benchmarks and experiments: winning ones and deals."""

from __future__ import annotations

from .deals import random_deals
from .wins import random_wins

__all__ = ["random_deals", "random_wins"]
