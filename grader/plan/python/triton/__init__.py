"""Triton in the process that records."""
