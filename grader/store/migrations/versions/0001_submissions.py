"""Submissions, their reports and their sources."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_sources"),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("source_hash", sa.Text(), nullable=False),
        sa.Column("submitted", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text()),
        sa.Column("kind", sa.Text()),
        sa.Column("line", sa.Integer()),
        sa.Column("score", sa.Double()),
        sa.Column("time", sa.Double()),
        sa.Column("time_low", sa.Double()),
        sa.Column("time_high", sa.Double()),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.ForeignKeyConstraint(["source_hash"], ["sources.hash"], name="fk_submissions_source_hash"),
    )
    op.create_index("ix_submissions_problem_user", "submissions", ["problem", "user"])
    op.create_table(
        "reports",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("submission_id", name="pk_reports"),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_reports_submission_id"),
    )
