"""The exercise that a submission mends, and how many tokens it changes for that."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("mend", sa.Text(), nullable=True))
    op.add_column("submissions", sa.Column("mend_tokens", sa.Integer(), nullable=True))
