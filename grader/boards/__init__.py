"""Boards: ranking, and the pages that show rankings and reports."""
