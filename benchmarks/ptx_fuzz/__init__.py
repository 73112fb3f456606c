"""A fuzzer of PTX for the emulator: random programs, run between guard pages in processes that may die."""
