"""Compiled steps of fan distances, the search for enough fan, and roll-outs."""
