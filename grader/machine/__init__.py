"""This machine: its GPUs, and the CUDA packages that are installed."""
