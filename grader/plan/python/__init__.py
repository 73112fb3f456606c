"""The sandboxed process that imports a Python submission and calls its solve() without a GPU.

`child` is the process, `tape` what every language records with, `driver` what each language's own package has to do;
`arrays` are what solve() is called with, those of PyTorch in `torch`.
"""
