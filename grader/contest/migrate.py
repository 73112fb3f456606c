"""Upgrades a contests' database to the newest schema; imports Alembic only if needed.

It refuses a database written by a newer kgrade.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, text

from grader.contest.schema import HEAD
from grader.store.connect import READ, WRITE
from grader.store.layout import revision_of, upgrade

MIGRATIONS = Path(__file__).with_name("migrations")
_UPGRADE_LOCK = 0x6B67_7261_6465
"""Key of PostgreSQL's advisory lock for upgrades ("kgrade"): two servers that start at once take turns."""


def bring_up_to_date(engine: Engine, name: str) -> None:
    """Applies missing migrations in one transaction. Raises StoreError for a schema that this version does not know.

    `name` is the database's name in messages.
    """
    with engine.connect().execution_options(**READ) as connection, connection.begin():
        revision = revision_of(connection)
    if revision == HEAD:
        return
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
        # Check again under the lock: another process may have upgraded meanwhile.
        if revision_of(connection) != HEAD:
            upgrade(connection, MIGRATIONS, HEAD, name, "name another database: --database URL")
