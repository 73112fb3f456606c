"""The coach: explains why a kernel is slow, from the emulator's counts. It times nothing."""
