"""The judge's side of submissions in Python.

`recorder` records calls of solve(), `process` is the process that imports a file, `call` what that may say during one
call, `kept` what is kept of what it compiled.
"""
