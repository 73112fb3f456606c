"""Boards: ranking, and the pages that show it."""
