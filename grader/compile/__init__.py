"""Compiling: turns source text into a Program."""
