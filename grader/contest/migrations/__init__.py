"""Alembic's folder: one numbered file a change of the contests' tables, applied in order, never edited afterwards."""
