"""The doctor: what kgrade needs, which parts are here, and what to type to get the rest."""
