"""What is asked of the contests' tables, a module a subject; `grader.contest.database` puts them together."""
