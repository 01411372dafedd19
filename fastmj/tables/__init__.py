"""Builders and loader of the tables that the kernels read."""
