"""The store of submissions: SQLAlchemy on SQLite, brought up to date by Alembic.

It keeps what was graded and gives it back; it ranks nothing and renders nothing.
"""

from grader.store.database import Store
from grader.store.entry import Entry, Summary, summarize

__all__ = ["Entry", "Store", "Summary", "summarize"]
