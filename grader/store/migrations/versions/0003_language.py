"""The language of a submission; all older ones are in CUDA C++."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("language", sa.Text(), nullable=False, server_default="cuda"))
