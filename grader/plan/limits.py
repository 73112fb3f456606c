"""What one call of solve() may ask for, as both sides of the recording know it."""

MOST_STEPS = 100_000
"""Launches, copies, fills and allocations of a plan."""
COPY_LIMIT = 64 << 20
"""Bytes that one call may copy between host and device."""
