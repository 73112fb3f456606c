"""Brings a database of contests to the newest layout, and only then pays for importing Alembic.

It refuses a database that a newer kgrade wrote instead of guessing.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from grader.contest.schema import HEAD
from grader.errors import StoreError
from grader.store.connect import READ, WRITE

_UPGRADE_LOCK = 0x6B67_7261_6465
"""PostgreSQL's advisory lock of an upgrade ("kgrade"): two servers that start at once take turns."""


def bring_up_to_date(engine: Engine, name: str) -> None:
    """Applies the missing migrations in one transaction; StoreError for a layout that this version does not know.

    `name` is what messages call the database.
    """
    with engine.connect().execution_options(**READ) as connection, connection.begin():
        revision = _revision(connection)
    if revision == HEAD:
        return
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
        # Asked again under the lock: another process may have done it meanwhile.
        if _revision(connection) != HEAD:
            _upgrade(connection, name)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: Connection, name: str) -> None:
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
                f"{name} was written by a newer kgrade: its layout is {revision!r}, "
                f"the newest that this one knows is {HEAD!r}",
                "update kgrade (pip install --upgrade kgrade), or name another database: --database URL",
            ) from error
    command.upgrade(config, "head")
