"""A confined process's own folder has a limit, in memory and on a disk, by large files, by many and by deleted ones."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.errors import JudgeError
from grader.sandbox import Confinement, Profile, Sandbox, SandboxLimits
from grader.sandbox import room as rooms
from grader.sandbox.children import Child, ChildDied
from tests.sandbox.conftest import landlock, namespaces

ROOM = rooms.Room(size=8 << 20, files=400, looks=0.05)
WRITES = """
import os
from grader.sandbox.serving import serve

def large(i):
    with open(f"file{i}", "wb") as file:
        file.write(bytes(1 << 20))

def many(i):
    os.makedirs(f"{i}/a/b/c")

def deleted(i):
    descriptors.append(os.open("gone", os.O_CREAT | os.O_RDWR))
    os.write(descriptors[-1], bytes(1 << 20))
    os.unlink("gone")

descriptors = []

def answer(message):
    for i in range(message["times"]):
        try:
            globals()[message["way"]](i)
        except OSError as error:
            return {"stopped": error.strerror, "after": i}
    import time
    time.sleep(message["sleeps"])
    return {"after": message["times"]}

serve(answer)
"""


class SmallChild(Child):
    room = ROOM


def start(sandbox: Sandbox, folder: Path, way: str, times: int, sleeps: float = 600.0) -> Child:
    (folder / "filling_child.py").write_text(WRITES)
    limits = SandboxLimits(memory=None, cpu_seconds=None, file_bytes=2 << 20, descriptors=256)
    confinement = Confinement(sandbox, Profile.COMPILE, readable=(folder,), limits=limits)
    child = SmallChild("filling_child", environment={"PYTHONPATH": str(folder)}, confinement=confinement, scratch=())
    child.send({"way": way, "times": times, "sleeps": sleeps})
    return child


@pytest.mark.parametrize("way", ["large", "deleted"])
def test_a_folder_in_memory_is_full_when_its_room_is_used_up(way: str, tmp_path: Path) -> None:
    sandbox = namespaces()
    if not sandbox.has_sized_folders:
        pytest.skip("this bubblewrap is older than 0.7.0")
    with start(sandbox, tmp_path, way, 100) as child:
        assert child.receive(120) == {"stopped": "No space left on device", "after": 8}
        assert child.scratch is not None and list(child.scratch.iterdir()) == []


@pytest.mark.parametrize(("way", "times"), [("large", 40), ("many", 200)])
@pytest.mark.parametrize("kind", ["old bubblewrap", "Landlock"])
def test_a_process_that_fills_its_folder_on_a_disk_is_ended(kind: str, way: str, times: int, tmp_path: Path) -> None:
    sandbox = landlock() if kind == "Landlock" else replace(namespaces(), has_sized_folders=False)
    with start(sandbox, tmp_path, way, times) as child:
        with pytest.raises(ChildDied) as died:
            child.receive(120)
        assert died.value.full
        assert "wrote more into its folder than it may" in died.value.message
    assert child.scratch is not None and not child.scratch.exists()


def test_what_fits_is_left_alone(tmp_path: Path) -> None:
    for sandbox in (landlock(), namespaces()):
        with start(sandbox, tmp_path, "large", 6, sleeps=0.3) as child:
            assert child.receive(120) == {"after": 6}


def test_what_was_there_before_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(4 << 20))
    ended: list[bool] = []
    watch = rooms.Watch(tmp_path, rooms.Room(3 << 20, 10, 0.01), lambda: ended.append(True))
    (tmp_path / "more").write_bytes(bytes(2 << 20))
    time.sleep(0.2)
    assert not watch.full
    (tmp_path / "most").write_bytes(bytes(2 << 20))
    until = time.monotonic() + 60
    while not ended and time.monotonic() < until:
        time.sleep(0.01)
    watch.end()
    assert watch.full and ended == [True]


def test_a_folder_that_cannot_be_read_counts_as_too_much(tmp_path: Path) -> None:
    most = rooms.Room(1 << 20, 10)
    (tmp_path / "written" / "inner").mkdir(parents=True)
    assert rooms.used(tmp_path, most)[1] == 2
    (tmp_path / "written" / "inner").chmod(0o300)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and str(folder).startswith(tempfile.gettempdir() + "/"):
            folder.chmod(0o755)
    # Root reads all.
    if os.getuid() == 0:
        os.seteuid(65534)
    try:
        assert [each.name for each in tmp_path.iterdir()] == ["written"]
        assert rooms.used(tmp_path, most)[0] > most.size
    finally:
        os.seteuid(os.getuid())


def test_the_disk_keeps_some_space_whatever_the_folder_shows(tmp_path: Path) -> None:
    """Deleted files that are still open, and mapped ones, are in no folder."""
    free = shutil.disk_usage(tmp_path).free
    watch = rooms.Watch(tmp_path, rooms.Room(free // 2 + (64 << 20), 10, 0.01), lambda: None)
    # There was less than twice the room from the start: others have used it, and nobody is ended for that.
    time.sleep(0.1)
    watch.end()
    assert not watch.full
    assert rooms.is_short(rooms.Room(100, 1, 1), before=250, now=90)
    assert not rooms.is_short(rooms.Room(100, 1, 1), before=250, now=110)


def test_a_compiler_that_fills_its_folder_is_the_submission_s_fault(tmp_path: Path) -> None:
    from grader.compile.compiler import CompileFailure
    from grader.compile.reading import explain_crash

    died = ChildDied("it wrote more into its folder than it may", -9, full=True)
    found = explain_crash(died, Sandbox(None, "for a test"))
    assert isinstance(found, CompileFailure)
    assert "temporary files" in found.diagnostics[0].message
    assert isinstance(explain_crash(ChildDied("it ended", -9), Sandbox(None)), JudgeError)
