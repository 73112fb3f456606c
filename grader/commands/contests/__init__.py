"""The commands below `kgrade contest`, one a file, named in `grader/commands/contest.py`."""
