"""Compiling: from source text to a Program."""
