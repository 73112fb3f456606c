"""The vocabulary that all of kgrade shares: verdicts, reports, plans, errors, limits, files and paths."""
