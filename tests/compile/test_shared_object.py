"""Reading what the compiler left in its folder: a regular file of some megabytes, or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.compile import shared_object
from grader.compile.compiler import CompileFailure
from grader.compile.elf import ElfError
from grader.compile.fatbin import FatbinError
from grader.compile.shared_object import read_file, read_library
from tests.compile.test_cubin import elf
from tests.compile.test_fatbin import PTX, container, entry


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"text")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(shared_object.LIMIT + 1)
    for name in ("link", "folder", "pipe", "large", "missing"):
        with pytest.raises(CompileFailure):
            read_file(tmp_path / name)
    assert read_file(tmp_path / "target") == b"text"


def test_images_of_a_library() -> None:
    found = read_library(elf({".nv_fatbin": container(entry(PTX), entry(b"code", kind=2))}))
    assert (found.ptx, found.cubin, found.exported) == (PTX, b"code", frozenset())
    assert read_library(elf({".text": b""})).ptx == b""


def test_a_library_that_nvcc_did_not_make() -> None:
    with pytest.raises(ElfError):
        read_library(b"text")
    with pytest.raises(FatbinError, match="2 images of kind ptx"):
        read_library(elf({".nv_fatbin": container(entry(PTX), entry(PTX))}))
