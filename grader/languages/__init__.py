"""Languages that submissions are written in. `registry` says which one a file is in, `language` what each has to do."""
