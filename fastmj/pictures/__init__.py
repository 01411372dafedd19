"""Pictures of hands as SVG."""

from __future__ import annotations

from .hand import hand_svg

__all__ = ["hand_svg"]
