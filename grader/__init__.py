"""kgrade: grades CUDA kernels, with a GPU or on an emulator of their PTX."""

__version__ = "0.1.0"
