"""The sandboxed process that imports a Python submission and calls its solve() without a GPU.

`child` is the process, `tape` what every language records with; each `*_driver` is one language's side.
"""
