"""The steps from an empty database to the tables of `grader.contest.schema`."""
