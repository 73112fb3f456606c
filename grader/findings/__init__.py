"""A Report as findings at the lines of a file, for editors, pre-commit, GitHub and whatever reads SARIF."""
