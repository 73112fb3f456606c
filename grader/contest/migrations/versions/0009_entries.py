"""Adds who asks to enter a contest without being on its roster."""

import sqlalchemy as sa
from alembic import op

from grader.store.schema import UtcDateTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("asked", UtcDateTime(), nullable=False),
        sa.Column("refused", UtcDateTime()),
        sa.Column("refused_by", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_entry"),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_entry_contest_contest"),
        sa.UniqueConstraint("contest", "value", name="uq_entry_contest_value"),
    )
