"""Adds the language in which a judging found its submission; all judged before are in CUDA C++."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("judging", sa.Column("language", sa.Text()))
    op.execute("UPDATE judging SET language = 'cuda' WHERE verdict IS NOT NULL")
