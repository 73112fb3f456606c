"""Reads a submitted file: from a path to text that can be compiled. It refuses what can't be source and says why.

Which language the text is in is for `grader.languages` to say.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import SourceError
from grader.core.verdict import Form, LanguageName

SIZE_LIMIT = 1 << 20
"""The largest file in bytes. The longest hand-written kernels have about a tenth of that."""


@dataclass(frozen=True)
class Submission:
    """A submitted file. `text` has no byte order mark and LF line endings; `sha256` is that of the file's bytes.

    `kernels` are the names of its `__global__` functions, `macros` its `#define`s with texts.
    """

    path_name: str
    text: str
    sha256: str
    form: Form
    kernels: tuple[str, ...] = ()
    macros: tuple[tuple[str, str], ...] = ()
    language: LanguageName = LanguageName.CUDA


def read_bytes(path: Path) -> bytes:
    """The bytes of a submitted file. Raises SourceError where it is missing, unreadable or too large."""
    try:
        if path.is_dir():
            raise SourceError(f"{path} is a directory, not a source file", _name_sources(path))
        if path.exists() and not path.is_file():
            raise SourceError(f"{path} is not a regular file", "Give the path of a .cu or .py file.")
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
            size = path.stat().st_size
    except FileNotFoundError:
        raise SourceError(f"{path} does not exist", _name_near_files(path)) from None
    except NotADirectoryError:
        raise SourceError(f"{path} does not exist: {path.parent} is not a directory") from None
    except PermissionError:
        raise SourceError(f"{path} can't be read: permission denied", f"Try: chmod u+r {path}") from None
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} can't be read: {error}") from None
    _check_size(path, size if len(data) > SIZE_LIMIT else len(data))
    return data


def _check_size(name: str | Path, size: int) -> None:
    if size > SIZE_LIMIT:
        message = f"{name} is too large for a submission: {size:,} bytes, at most {SIZE_LIMIT:,} are read"
        raise SourceError(message, "Submit the kernel's source alone, without data or generated tables.")


def decode_source(name: str, data: bytes) -> str:
    """Decodes a file's bytes without parsing them. Raises SourceError if they can't be source text."""
    _check_size(name, len(data))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{name} is UTF-16 text, UTF-8 is expected", "Save the file as UTF-8.")
    if b"\0" in data:
        offset = data.index(b"\0")
        message = f"{name} is a binary file: it has a zero byte at offset {offset}"
        raise SourceError(message, "Submit the source text, not a compiled program.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from after the byte order mark.
        offset = error.start + len(data) - len(error.object)
        line = data.count(b"\n", 0, offset) + 1
        message = f"{name} is not UTF-8 text: byte 0x{data[offset]:02x} at offset {offset} (line {line})"
        raise SourceError(message, "Save the file as UTF-8, or remove that character.") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise SourceError(f"{name} is empty", "kgrade init PROBLEM writes a starter to begin with.")
    return text


def _name_near_files(path: Path) -> str:
    if not path.parent.is_dir():
        return f"There is no directory {path.parent} either."
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    if near:
        return "Did you mean " + " or ".join(str(path.parent / name) for name in near) + "?"
    return _name_sources(path.parent)


def _name_sources(folder: Path) -> str:
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.suffix in (".cu", ".py"))
    except OSError:
        names = []
    if not names:
        return "Give the path of a .cu or .py file; kgrade init PROBLEM writes a starter."
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"Files in {folder}: {', '.join(names[:5])}{more}."
