"""Reads the shared library that nvcc produced in the sandbox: its device images and exported symbols.

A hostile source may have taken over the compiler, so nothing about the file is trusted.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.compile.compiler import CompileFailure
from grader.compile.elf import by_name, read_sections, read_symbols
from grader.compile.fatbin import FatbinError, Image, read_images
from grader.core.report import Diagnostic

LIMIT = 32 << 20


@dataclass(frozen=True)
class Library:
    """A compiled library. `ptx` and `cubin` are empty if it has none; `exported` are its callable symbols."""

    ptx: bytes
    cubin: bytes
    exported: frozenset[str]


def read_file(path: Path) -> bytes:
    """Reads the library's bytes. Raises CompileFailure for a file that no compiler makes."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _failure(f"the compiler made no library: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _failure("the compiler made no library but something else")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(LIMIT + 1)
    finally:
        os.close(descriptor)
    if len(data) > LIMIT:
        hint = "Initialised arrays are stored in full: fill large ones in a kernel."
        raise _failure(f"the compiled library is larger than {LIMIT >> 20} MiB", hint)
    return data


def read_library(data: bytes) -> Library:
    """Parses the library. Raises ElfError or FatbinError if nvcc can't have linked it."""
    named = by_name(read_sections(data))
    images = read_images(named[".nv_fatbin"].data) if ".nv_fatbin" in named else ()
    exported: frozenset[str] = frozenset()
    if ".dynsym" in named and ".dynstr" in named:
        symbols = read_symbols(named[".dynsym"], named[".dynstr"])
        exported = frozenset(symbol.name for symbol in symbols if symbol.section)
    return Library(_only(images, "ptx"), _only(images, "cubin"), exported)


def _only(images: Sequence[Image], kind: str) -> bytes:
    found = [image.data for image in images if image.kind == kind]
    if len(found) > 1:
        raise FatbinError(f"{len(found)} images of kind {kind}, where one was asked for")
    return found[0] if found else b""


def _failure(message: str, hint: str = "") -> CompileFailure:
    return CompileFailure([Diagnostic("error", message, hint=hint)])
