"""Adds to judgings which groups of cases a submission passed, and to accounts the name that a university gives them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("judging", sa.Column("groups", sa.Text()))
    op.add_column("account", sa.Column("subject", sa.Text()))
