"""PTX as text and as data: parses a module into functions, variables and instructions."""
