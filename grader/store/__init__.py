"""The store of submissions: SQLAlchemy on SQLite, brought up to date by Alembic; and the workspace in which it lies.

It keeps what was graded and gives it back; it ranks nothing and renders nothing.
"""
