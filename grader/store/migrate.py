"""Upgrades a workspace's database to the newest schema, if it is writable."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine

from grader.core.errors import WorkspaceError
from grader.store.connect import READ, WRITE
from grader.store.layout import revision_of, upgrade
from grader.store.schema import HEAD

MIGRATIONS = Path(__file__).with_name("migrations")


def bring_up_to_date(engine: Engine, path: Path, *, read_only: bool) -> None:
    """Applies the missing migrations in one transaction.

    Raises StoreError for a schema that this version does not know, WorkspaceError if an old one can't be upgraded
    because the database is read-only.
    """
    with engine.connect().execution_options(**READ) as connection, connection.begin():
        revision = revision_of(connection)
    if revision == HEAD:
        return
    if read_only:
        raise WorkspaceError(
            f"{path} has the layout {revision or 'of no kgrade'}; this one uses {HEAD} and can't change it",
            f"make the folder writable: chmod u+w {path.parent} {path}",
        )
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        # Check again under the lock: another process may have upgraded meanwhile.
        if revision_of(connection) != HEAD:
            upgrade(connection, MIGRATIONS, HEAD, str(path), "work in another workspace: kgrade new DIR")
