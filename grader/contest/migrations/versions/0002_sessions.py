"""Adds sessions as rows, the colouring of sources, and whether a judging's report reveals hidden cases."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "session",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_session"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_session_account_id_account"),
    )
    op.create_index("ix_session_created", "session", ["created"])
    op.add_column("source", sa.Column("colours", sa.Text()))
    # Older reports may reveal hidden cases.
    op.add_column("judging", sa.Column("is_open", sa.Boolean(), nullable=False, server_default=sa.false()))
