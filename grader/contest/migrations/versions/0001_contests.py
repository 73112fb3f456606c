"""Contests, accounts, submissions and their judgings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("contest", sa.Text()),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_contest", "audit", ["contest"])
    op.create_table(
        "contest",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("slug", name="pk_contest"),
    )
    op.create_table(
        "source",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_source"),
    )
    op.create_table(
        "worker",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("gpu_model", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text()),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_worker"),
        sa.UniqueConstraint("token_hash", name="uq_worker_token_hash"),
    )
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_announcement_contest"),
        sa.PrimaryKeyConstraint("id", name="pk_announcement"),
    )
    op.create_table(
        "rejudge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_rejudge_contest"),
        sa.PrimaryKeyConstraint("id", name="pk_rejudge"),
    )
    op.create_table(
        "team",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_team_contest"),
        sa.PrimaryKeyConstraint("id", name="pk_team"),
        sa.UniqueConstraint("contest", "name", name="uq_team_contest_name"),
    )
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Integer()),
        sa.Column("token_hash", sa.Text()),
        sa.Column("link_hash", sa.Text()),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.Column("extension_seconds", sa.Integer(), nullable=False),
        sa.Column("disqualified", sa.Text()),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_account_contest"),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name="fk_account_team_id"),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("contest", "name", name="uq_account_contest_name"),
        sa.UniqueConstraint("link_hash", name="uq_account_link_hash"),
        sa.UniqueConstraint("token_hash", name="uq_account_token_hash"),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("source_hash", sa.Text(), nullable=False),
        sa.Column("submitted", sa.DateTime(timezone=True), nullable=False),
        sa.Column("late_seconds", sa.Integer(), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("request_key", sa.Text()),
        sa.Column("disqualified", sa.Text()),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_submission_account_id"),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_submission_contest"),
        sa.ForeignKeyConstraint(["source_hash"], ["source.hash"], name="fk_submission_source_hash"),
        sa.PrimaryKeyConstraint("id", name="pk_submission"),
        sa.UniqueConstraint("account_id", "request_key", name="uq_submission_account_id_request_key"),
    )
    op.create_index("ix_submission_account_submitted", "submission", ["account_id", "submitted"])
    op.create_index("ix_submission_contest_problem", "submission", ["contest", "problem"])
    op.create_table(
        "judging",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("rejudge_id", sa.Integer()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("gpu_model", sa.Text(), nullable=False),
        sa.Column("queued", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True)),
        sa.Column("finished", sa.DateTime(timezone=True)),
        sa.Column("verdict", sa.Text()),
        sa.Column("score", sa.Double()),
        sa.Column("score_low", sa.Double()),
        sa.Column("score_high", sa.Double()),
        sa.Column("progress", sa.Text(), nullable=False),
        sa.Column("report", sa.Text()),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["rejudge_id"], ["rejudge.id"], name="fk_judging_rejudge_id"),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"], name="fk_judging_submission_id"),
        sa.PrimaryKeyConstraint("id", name="pk_judging"),
    )
    op.create_index(
        "ix_judging_active",
        "judging",
        ["submission_id"],
        unique=True,
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active"),
    )
    op.create_index("ix_judging_queue", "judging", ["state", "gpu_model", "turn", "id"])
    op.create_index("ix_judging_rejudge_id", "judging", ["rejudge_id"])
    op.create_index("ix_judging_submission_id", "judging", ["submission_id"])
