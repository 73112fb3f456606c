"""The coach: why a kernel is slow, from what the emulator counted of it. It times nothing."""
