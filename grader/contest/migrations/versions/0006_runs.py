"""Adds runs, which are tried and not recorded. A judging belongs to a submission or to a run."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sizes", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.ForeignKeyConstraint(["contest"], ["contest.slug"], name="fk_run_contest"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_run_account_id"),
    )
    op.create_index("ix_run_account_id", "run", ["account_id"])
    op.create_index("ix_run_created", "run", ["created"])
    # SQLite copies the table, and the condition of a partial index would be lost.
    op.drop_index("ix_judging_active", "judging")
    with op.batch_alter_table("judging") as table:
        table.alter_column("submission_id", existing_type=sa.Integer(), nullable=True)
        table.add_column(sa.Column("run_id", sa.Integer()))
        table.create_foreign_key("fk_judging_run_id_run", "run", ["run_id"], ["id"])
    op.create_index("ix_judging_run_id", "judging", ["run_id"])
    op.create_index(
        "ix_judging_active",
        "judging",
        ["submission_id"],
        unique=True,
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active"),
    )
