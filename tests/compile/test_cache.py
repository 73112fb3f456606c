"""Compile results that are remembered: by all that they depend on, and never a damaged one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grader.compile.cache import Cache, make_key
from grader.compile.program import Kernel, Program
from grader.compile.reading import end_waiting, recognise
from grader.core.files import Room, keep
from grader.core.report import Diagnostic
from grader.core.verdict import Form
from grader.plan.scripts.kept import KeptCode
from grader.run.object_cache import ObjectCache

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
    store = Cache(tmp_path, Room(files=6, size=1 << 20))
    for number in range(7):
        store.store(f"k{number}", PROGRAM)
        os.utime(tmp_path / f"k{number}.json", (number, number))
    # The seventh was the newest when it came, whatever its time says now.
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["k4", "k5", "k6"]


def test_large_entries_count_by_their_size(tmp_path: Path) -> None:
    Cache(tmp_path).store("k0", PROGRAM)
    size = (tmp_path / "k0.json").stat().st_size
    store = Cache(tmp_path, Room(files=100, size=4 * size))
    for number in range(5):
        store.store(f"k{number}", PROGRAM)
        os.utime(tmp_path / f"k{number}.json", (number, number))
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["k3", "k4"]


FOLDERS: dict[str, Callable[[Path], object]] = {
    "programs": lambda folder: Cache(folder / "programs").store("k", PROGRAM),
    "kernels/objects": lambda folder: ObjectCache(folder / "kernels").add("k", {"a": "b"}),
    "scripts": lambda folder: KeptCode(folder / "scripts", PROGRAM).add({"a": "b0"}),
    "texts": lambda folder: (recognise("__global__ void k() {}"), end_waiting()),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_every_folder_that_submissions_fill_has_a_limit(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path))
    old = tmp_path / name / "old.json"
    old.parent.mkdir(parents=True)
    # Of holes, which count like bytes.
    old.touch()
    os.truncate(old, 4 << 30)
    os.utime(old, (1, 1))
    FOLDERS[name](tmp_path)
    assert not old.exists()
    assert list((tmp_path / name).iterdir())


def test_what_is_used_is_not_forgotten(tmp_path: Path) -> None:
    store = Cache(tmp_path, Room(files=4, size=1 << 20))
    for number in range(4):
        store.store(f"k{number}", PROGRAM)
        os.utime(tmp_path / f"k{number}.json", (number, number))
    assert store.load("k0") == PROGRAM
    store.store("k4", PROGRAM)
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["k0", "k4"]


def test_keys_depend_on_every_part() -> None:
    parts: list[Mapping[str, Any]] = [{"a": 1}, {"a": 2}, {"b": 1}, {"a": [1]}, {}]
    assert len({make_key(part) for part in parts}) == len(parts)
    assert make_key({"a": 1, "b": 2}) == make_key({"b": 2, "a": 1})


def test_two_that_keep_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    room = Room(files=8, size=1 << 20)

    def keep_many(name: str) -> None:
        for number in range(400):
            keep(tmp_path / f"{name}{number}", b"kept", room)

    # Each sees the other's temporary files, which are renamed while it lists the folder.
    with ThreadPoolExecutor() as pool:
        list(pool.map(keep_many, "ab"))
    assert len(list(tmp_path.iterdir())) <= room.files
