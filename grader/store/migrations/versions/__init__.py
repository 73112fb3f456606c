"""The steps from an empty database to the tables of `grader.store.schema`."""
