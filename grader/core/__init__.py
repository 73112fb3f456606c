"""What all of kgrade speaks of: verdicts, reports, plans, errors, limits, files and paths."""
