"""numba-cuda in the process that records."""
