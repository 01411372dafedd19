"""The rules as data: the table of fans, and the profiles with every contested ruling."""

from __future__ import annotations

from .base import Profile
from .doubling import HAND_TYPES, REGIONAL, DoublingRules
from .fans import COMBINATION_FANS, CONCEALED_FORMS, FANS, Fan, FanTable
from .profiles import (
    GB98,
    OPTIONS,
    PROFILES,
    WMO2006,
    AnyRules,
    NationalRulesLike,
    Rules,
    RulesLike,
    national_rules,
    resolve_rules,
)

__all__ = [
    "COMBINATION_FANS",
    "CONCEALED_FORMS",
    "FANS",
    "GB98",
    "HAND_TYPES",
    "OPTIONS",
    "PROFILES",
    "REGIONAL",
    "WMO2006",
    "AnyRules",
    "DoublingRules",
    "Fan",
    "FanTable",
    "NationalRulesLike",
    "Profile",
    "Rules",
    "RulesLike",
    "national_rules",
    "resolve_rules",
]
