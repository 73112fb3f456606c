"""Brings a workspace's database to the newest layout where it is not, and may be written."""

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

    Raises StoreError for a layout that this version does not know, WorkspaceError where an old layout
    can't be brought up to date because nothing may be written.
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
        # Asked again under the lock: another process may have done it meanwhile.
        if revision_of(connection) != HEAD:
            upgrade(connection, MIGRATIONS, HEAD, str(path), "work in another workspace: kgrade new DIR")
