"""Problem sets of others: folders laid out like LeetGPU's public challenges, used as they stand.

`folder` finds the challenges, `child` runs their Python with PyTorch in a process of its own, and `problem` makes a
Problem of what came out. Only that process imports PyTorch.
"""
