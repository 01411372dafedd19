"""Compiled code only: scalar steps over tables, one concern a file; ``batch`` drives scoring."""
