"""The languages that kgrade knows, and which of them a file is in.

What each does is its own; files are read and checked by `grader.compile.submission`.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Protocol

from grader.compile.submission import Submission, decode_source, read_bytes
from grader.core.errors import SourceError
from grader.core.verdict import Form, LanguageName
from grader.languages.cuda import CudaKernel, CudaSolve
from grader.languages.language import Language
from grader.languages.python import SUFFIX, PythonLanguage

LANGUAGES: tuple[Language, ...] = (
    PythonLanguage(LanguageName.TRITON, "triton", "triton"),
    PythonLanguage(LanguageName.CUTILE, "cuda.tile", "cuda-tile"),
    PythonLanguage(LanguageName.CUTE, "cutlass", "nvidia-cutlass-dsl"),
    PythonLanguage(LanguageName.NUMBA, "numba.cuda", "numba-cuda"),
    CudaSolve(),
    CudaKernel(),
)
"""The languages in the order in which they are asked whether a text is theirs. The last takes what no other does."""

_PYTHON = re.compile(r"^[ \t]*(?:(?:import|from)[ \t]+(?:triton|cuda|cutlass|numba)\b|#[ \t]*language:)", re.MULTILINE)
"""A line that a text in one of the languages in Python has, and CUDA C++ has not."""


class Written(Protocol):
    """What is written in a language: a Submission, a Program, a Report."""

    @property
    def form(self) -> Form: ...

    @property
    def language(self) -> LanguageName: ...


def language_of(written: Written) -> Language:
    """The language that this is written in."""
    return find_language(written.language, written.form)


def find_language(name: LanguageName, form: Form = Form.SOLVE) -> Language:
    """The language of this name, in this form where it has two."""
    named = [language for language in LANGUAGES if language.name is name]
    return next((language for language in named if language.form is form), named[0])


def read_submission(path: Path, name: LanguageName | None = None) -> Submission:
    """Reads a submitted file. Raises SourceError where it is missing or can't be source text."""
    return make_submission(path.name, read_bytes(path), name)


def text_submission(text: str, name: LanguageName | None = None) -> Submission:
    """A submission from a text that is in no file. Raises SourceError as `make_submission` does."""
    python = _PYTHON.search(text) if name is None else name is not LanguageName.CUDA
    return make_submission("kernel.py" if python else "kernel.cu", text.encode(errors="surrogatepass"), name)


def make_submission(path_name: str, data: bytes, name: LanguageName | None = None) -> Submission:
    """A submission from the bytes of a file, in the language of this name, or that which the text is seen to be in.

    Raises SourceError where they can't be source text.
    """
    text = decode_source(path_name, data)
    asked = [language for language in LANGUAGES if name in (None, language.name)]
    if path_name.endswith(SUFFIX) and name is None:
        asked = [language for language in asked if isinstance(language, PythonLanguage)]
    sure = name is not None
    found = next(((language, seen) for language in asked if (seen := language.recognise(path_name, text, sure))), None)
    if found is None:
        message = f"{path_name} imports none of triton, cuda.tile, cutlass and numba, so its language is not known"
        raise SourceError(message, "Say it in the first line, as in # language: triton, or by --language.")
    language, seen = found
    return Submission(
        path_name=path_name,
        text=text,
        sha256=hashlib.sha256(data).hexdigest(),
        form=seen.form,
        kernels=seen.kernels,
        macros=seen.macros,
        language=language.name,
    )
