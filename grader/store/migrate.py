"""Brings a database to the newest layout, and only then pays for importing Alembic.

It refuses a database that a newer kgrade wrote instead of guessing.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from grader.errors import StoreError, WorkspaceError
from grader.store.connect import READ, WRITE
from grader.store.schema import HEAD


def bring_up_to_date(engine: Engine, path: Path, *, read_only: bool) -> None:
    """Applies the missing migrations in one transaction.

    Raises StoreError for a layout that this version does not know, WorkspaceError where an old layout
    can't be brought up to date because nothing may be written.
    """
    with engine.connect().execution_options(**READ) as connection, connection.begin():
        revision = _revision(connection)
    if revision == HEAD:
        return
    if read_only:
        raise WorkspaceError(
            f"{path} has the layout {revision or 'of no kgrade'}; this one uses {HEAD} and can't change it",
            f"make the folder writable: chmod u+w {path.parent} {path}",
        )
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        # Asked again under the lock: another process may have done it meanwhile.
        if _revision(connection) != HEAD:
            _upgrade(connection, path)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: Connection, path: Path) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    # Alembic's settings are read by configparser, where % has a meaning.
    folder = Path(__file__).with_name("migrations")
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    revision = _revision(connection)
    if revision is not None:
        try:
            ScriptDirectory.from_config(config).get_revision(revision)
        except CommandError as error:
            raise StoreError(
                f"{path} was written by a newer kgrade: its layout is {revision!r}, "
                f"the newest that this one knows is {HEAD!r}",
                "update kgrade (pip install --upgrade kgrade), or work in another workspace: kgrade new DIR",
            ) from error
    command.upgrade(config, "head")
