"""The interval of a score: entries whose scores can't be told apart share a rank."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("score_low", sa.Double()))
    op.add_column("submissions", sa.Column("score_high", sa.Double()))
