"""PTX as text and as data: parsing a module into functions, variables and instructions."""
