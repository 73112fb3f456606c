"""Alembic's folder: one numbered file per change of the tables, applied in order, never edited later."""
