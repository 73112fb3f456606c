"""Reads a database's schema revision and upgrades it with Alembic's migrations; each kind of database has its own.

Alembic is imported only if there is something to do. A database written by a newer kgrade is refused.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from grader.core.errors import StoreError
from grader.machine.own_install import upgrade_command


def revision_of(connection: Connection) -> str | None:
    """The revision of the database's schema; None if kgrade has not created one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(connection: Connection, migrations: Path, head: str, name: str, otherwise: str) -> None:
    """Applies the missing migrations of a folder, whose newest is `head`, in the connection's transaction.

    Raises StoreError for a revision that the folder does not contain. For its message, `name` is the database's name
    and `otherwise` an alternative to updating kgrade.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    # configparser reads Alembic's settings, where % is special.
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    revision = revision_of(connection)
    if revision is not None:
        try:
            ScriptDirectory.from_config(config).get_revision(revision)
        except CommandError as error:
            raise StoreError(
                f"{name} was written by a newer kgrade: its layout is {revision!r}, "
                f"the newest that this one knows is {head!r}",
                f"update kgrade ({upgrade_command()}), or {otherwise}",
            ) from error
    command.upgrade(config, "head")
