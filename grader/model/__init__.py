"""Model time: how long a kernel would take on a named GPU, computed from what the emulator counts."""
