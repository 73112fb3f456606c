"""LLVM IR: the builder, and the routines that translated kernels call (memory, warp, barrier, driver)."""
