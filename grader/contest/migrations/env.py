"""Alembic's entry: runs the migrations on the connection that `grader.contest.migrate` hands over.

The transaction belongs to the caller, so that a killed upgrade leaves the database as it was.
"""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
