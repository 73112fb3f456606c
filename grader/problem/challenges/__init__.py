"""Third-party problem sets: folders laid out like LeetGPU's public challenges, used unchanged.

`folder` finds the challenges, `child` runs their Python with PyTorch in a separate process, and `problem` makes a
Problem from the result. Only that process imports PyTorch.
"""
