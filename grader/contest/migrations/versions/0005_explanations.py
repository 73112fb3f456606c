"""Adds the explanations of accepted submissions, which workers write and pages show."""

import sqlalchemy as sa
from alembic import op

from grader.store.schema import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "explanation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("source_hash", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("lease_until", UtcDateTime()),
        sa.Column("page", sa.Text()),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_explanation_contest_contest"),
        sa.ForeignKeyConstraint(["source_hash"], ["source.hash"], name="fk_explanation_source_hash_source"),
        sa.PrimaryKeyConstraint("id", name="pk_explanation"),
        sa.UniqueConstraint("contest", "problem", "source_hash", name="uq_explanation_contest_problem_source_hash"),
    )
    op.create_index("ix_explanation_state", "explanation", ["state"])
