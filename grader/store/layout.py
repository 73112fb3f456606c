"""What a database's layout is and how it becomes the newest, by Alembic's migrations; each database has its own.

Alembic is imported only where there is something to do. A database that a newer kgrade wrote is refused.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from grader.core.errors import StoreError


def revision_of(connection: Connection) -> str | None:
    """The revision of the database's layout; None where kgrade has made none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(connection: Connection, migrations: Path, head: str, name: str, otherwise: str) -> None:
    """Applies the missing migrations of this folder, whose newest is `head`, in the connection's transaction.

    Raises StoreError for a layout that they don't know; `name` is the database's in it, and `otherwise` what else
    than an update of kgrade helps.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    # Alembic's settings are read by configparser, where % has a meaning.
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
                f"update kgrade (pip install --upgrade kgrade), or {otherwise}",
            ) from error
    command.upgrade(config, "head")
