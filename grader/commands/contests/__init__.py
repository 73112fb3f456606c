"""The commands below `kgrade contest`, one per file, listed in `grader/commands/contest.py`."""
