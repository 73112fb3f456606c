"""Showing things in a terminal, with rich."""
