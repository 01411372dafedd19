"""Compiled steps that make random hands."""
