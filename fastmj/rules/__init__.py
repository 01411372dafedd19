"""The rules as data: the table of fans, and the profiles with every contested ruling."""

from __future__ import annotations

from .fans import COMBINATION_FANS, CONCEALED_FORMS, FANS, Fan, FanTable
from .profiles import GB98, OPTIONS, PROFILES, WMO2006, Rules

__all__ = [
    "COMBINATION_FANS",
    "CONCEALED_FORMS",
    "FANS",
    "GB98",
    "OPTIONS",
    "PROFILES",
    "WMO2006",
    "Fan",
    "FanTable",
    "Rules",
]
