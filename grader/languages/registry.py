"""The languages that kgrade knows, and which of them a file is in.

What each does is its own; files are read and checked by `grader.compile.submission`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from grader.compile.submission import Submission, decode_source, read_bytes
from grader.core.verdict import Form
from grader.languages.cuda import CudaKernel, CudaSolve
from grader.languages.language import Language

LANGUAGES: tuple[Language, ...] = (CudaSolve(), CudaKernel())
"""In the order in which they are asked whether a text is theirs. The last takes what no other does."""


def language_of(form: Form) -> Language:
    """The language whose submissions have this form."""
    return next(language for language in LANGUAGES if language.form is form)


def read_submission(path: Path) -> Submission:
    """Reads a submitted file. Raises SourceError where it is missing or can't be source text."""
    return make_submission(path.name, read_bytes(path))


def make_submission(path_name: str, data: bytes) -> Submission:
    """A submission from the bytes of a file. Raises SourceError where they can't be source text."""
    text = decode_source(path_name, data)
    found = next(found for language in LANGUAGES if (found := language.recognise(text)) is not None)
    return Submission(
        path_name=path_name,
        text=text,
        sha256=hashlib.sha256(data).hexdigest(),
        form=found.form,
        kernels=found.kernels,
        macros=found.macros,
    )
