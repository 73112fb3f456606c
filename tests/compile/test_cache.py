"""Compile results that are remembered: by all that they depend on, and never a damaged one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.compile.cache import Cache, make_key
from grader.compile.program import Kernel, Program
from grader.core.report import Diagnostic
from grader.core.verdict import Form

PROGRAM = Program(
    form=Form.KERNEL,
    target="compute_89",
    image="// text",
    kernels=(Kernel("k", "_Z1kv", (8, 4)),),
    constants={"TILE": 16},
    diagnostics=(Diagnostic("warning", "a word", 3, 4, "advice"), Diagnostic("note", "no place")),
    cubin=b"\x7fELF\0",
    spills={"_Z1kv": 24},
    shared_object=b"\x7fELF\xff",
)
DAMAGED = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"key": "k"}',
    b'{"key": "k", "program": []}',
    b'{"key": "k", "program": {"form": "neither"}}',
    b"[" * 100_000,
)


def test_gives_back_what_was_stored(tmp_path: Path) -> None:
    store = Cache(tmp_path / "new" / "folder")
    assert store.load("k") is None
    store.store("k", PROGRAM)
    assert store.load("k") == PROGRAM
    assert store.load("other") is None


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_entry_is_absent_and_replaced(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "k.json").write_bytes(data)
    store = Cache(tmp_path)
    assert store.load("k") is None
    store.store("k", PROGRAM)
    assert store.load("k") == PROGRAM


def test_every_cut_of_an_entry_is_absent(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    store.store("k", PROGRAM)
    whole = (tmp_path / "k.json").read_bytes()
    for length in range(len(whole)):
        (tmp_path / "k.json").write_bytes(whole[:length])
        assert store.load("k") is None


def test_an_entry_under_another_name_is_absent(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    store.store("k", PROGRAM)
    (tmp_path / "k.json").rename(tmp_path / "j.json")
    assert store.load("j") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Cache(tmp_path / "file")
    store.store("k", PROGRAM)
    assert store.load("k") is None


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    Cache(tmp_path).store("k", PROGRAM)
    assert list(tmp_path.iterdir()) == []


def test_no_folder_remembers_nothing() -> None:
    store = Cache(None)
    store.store("k", PROGRAM)
    assert store.load("k") is None


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    store = Cache(tmp_path, keep=6)
    for number in range(7):
        store.store(f"k{number}", PROGRAM)
        os.utime(tmp_path / f"k{number}.json", (number, number))
    # The seventh was the newest when it came, whatever its time says now.
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["k4", "k5", "k6"]


def test_large_entries_count_by_their_size(tmp_path: Path) -> None:
    Cache(tmp_path).store("k0", PROGRAM)
    size = (tmp_path / "k0.json").stat().st_size
    store = Cache(tmp_path, keep_bytes=4 * size)
    for number in range(5):
        store.store(f"k{number}", PROGRAM)
        os.utime(tmp_path / f"k{number}.json", (number, number))
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["k3", "k4"]


def test_keys_depend_on_every_part() -> None:
    parts: list[Mapping[str, Any]] = [{"a": 1}, {"a": 2}, {"b": 1}, {"a": [1]}, {}]
    assert len({make_key(part) for part in parts}) == len(parts)
    assert make_key({"a": 1, "b": 2}) == make_key({"b": 2, "a": 1})
