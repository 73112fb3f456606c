"""This machine: its GPUs and its installed CUDA packages."""
