"""cuTile in the process that records."""
