"""Terminal output, with rich."""
