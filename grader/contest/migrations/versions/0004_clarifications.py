"""Adds students' questions and staff's answers."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clarification",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text()),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answered", sa.DateTime(timezone=True)),
        sa.Column("answered_by", sa.Text()),
        sa.Column("answer", sa.Text()),
        sa.Column("announcement_id", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name="pk_clarification"),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_clarification_contest_contest"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_clarification_account_id_account"),
        sa.ForeignKeyConstraint(
            ["announcement_id"], ["announcement.id"], name="fk_clarification_announcement_id_announcement"
        ),
    )
    op.create_index("ix_clarification_contest", "clarification", ["contest"])
    op.create_index("ix_clarification_account_asked", "clarification", ["account_id", "asked"])
