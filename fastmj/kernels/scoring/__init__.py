"""Compiled steps that score hands: rows in, totals and fans out."""
