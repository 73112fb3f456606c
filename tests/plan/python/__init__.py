"""Recording of submissions in Python."""
