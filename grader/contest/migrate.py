"""Brings a database of contests to the newest layout, and only then pays for importing Alembic.

It refuses a database that a newer kgrade wrote instead of guessing.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, text

from grader.contest.schema import HEAD
from grader.store.connect import READ, WRITE
from grader.store.layout import revision_of, upgrade

MIGRATIONS = Path(__file__).with_name("migrations")
_UPGRADE_LOCK = 0x6B67_7261_6465
"""PostgreSQL's advisory lock of an upgrade ("kgrade"): two servers that start at once take turns."""


def bring_up_to_date(engine: Engine, name: str) -> None:
    """Applies the missing migrations in one transaction; StoreError for a layout that this version does not know.

    `name` is what messages call the database.
    """
    with engine.connect().execution_options(**READ) as connection, connection.begin():
        revision = revision_of(connection)
    if revision == HEAD:
        return
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
        # Asked again under the lock: another process may have done it meanwhile.
        if revision_of(connection) != HEAD:
            upgrade(connection, MIGRATIONS, HEAD, name, "name another database: --database URL")
