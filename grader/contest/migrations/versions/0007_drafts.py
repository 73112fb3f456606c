"""Adds drafts: what an account has typed and not handed in, one for each problem and language."""

import sqlalchemy as sa
from alembic import op

from grader.store.schema import UtcDateTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("saved", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "problem", "language", name="pk_draft"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_draft_account_id_account"),
    )
