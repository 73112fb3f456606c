"""kgrade in Python and in notebooks: the names that others may rely on. All else is in the package `grader`.

`kgrade.grade("matmul", source)` grades a text and returns its Report, which a notebook shows as a page.
`%load_ext kgrade` adds the cell magic `%%kgrade PROBLEM`.

It is a module beside `grader`, so that an editable installation, a checkout and a wheel all have it under this name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.notebook.grade import grade
    from grader.notebook.magic import load_ipython_extension

__all__ = ["grade", "load_ipython_extension"]


def __getattr__(name: str) -> Any:
    # Loaded when it is used: others import this module to look at its names.
    if name == "grade":
        from grader.notebook.grade import grade

        return grade
    if name == "load_ipython_extension":
        from grader.notebook.magic import load_ipython_extension

        return load_ipython_extension
    raise AttributeError(f"module 'kgrade' has no attribute {name!r}")
