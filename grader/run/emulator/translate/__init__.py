"""Translates PTX to LLVM IR: control flow, registers, and the code of one warp."""
