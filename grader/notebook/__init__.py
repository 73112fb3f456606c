"""kgrade as a Python function and in notebooks: what the module `kgrade` offers."""
