"""CuTe DSL in the process that records."""
