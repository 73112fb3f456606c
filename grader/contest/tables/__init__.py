"""The queries on the contests' tables, one module per subject; `grader.contest.database` combines them."""
