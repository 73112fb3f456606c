"""The model time of a submission on a GPU, by which boards rank what no GPU has run, or why it has none."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("model_gpu", "model_revision", "model_note"):
        op.add_column("submissions", sa.Column(name, sa.Text(), nullable=True))
    for name in ("model_score", "model_time", "model_time_low", "model_time_high"):
        op.add_column("submissions", sa.Column(name, sa.Double(), nullable=True))
