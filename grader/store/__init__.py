"""The store of graded submissions (SQLAlchemy on SQLite, migrated by Alembic), and the workspace that contains it.

Ranking and rendering are left to others.
"""
