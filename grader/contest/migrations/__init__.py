"""Alembic's folder: one numbered file per change of the contests' tables, applied in order, never edited later."""
