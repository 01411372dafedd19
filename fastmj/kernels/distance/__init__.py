"""Compiled steps of shanten, acceptance and waits."""
