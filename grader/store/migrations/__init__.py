"""Alembic's folder: one numbered file a change of the tables, applied in order, never edited afterwards."""
