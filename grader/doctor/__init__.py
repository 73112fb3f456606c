"""The doctor: what kgrade needs, what of it is here, and what to type for the rest."""
