"""PyTorch's tensors, which any of the languages may be given in the process that records."""
