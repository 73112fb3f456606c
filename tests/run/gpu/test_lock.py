"""The lock of a GPU, between processes: one holds it at a time, and it ends with its process."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from grader.errors import JudgeError
from grader.run.gpu import lock
from grader.run.gpu.lock import Turn, lock_folder

HOLDER = """
import sys, time
from pathlib import Path
from grader.run.gpu.lock import Turn
with Turn(sys.argv[1], folder=Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.readline()
print("released", flush=True)
"""
ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "locks"


@pytest.fixture
def holder(folder):
    """Another process that holds the lock of GPU-1 until it is sent a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, "GPU-1", str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_waits_until_the_first_has_done(holder, folder):
    events = []

    def waiting():
        events.append("waiting")
        holder.stdin.write("\n")
        holder.stdin.flush()

    with Turn("GPU-1", waiting, folder):
        events.append("held")
        assert holder.wait(timeout=10) == 0
    assert events == ["waiting", "held"]


def test_who_has_waited_longer_asks_more_often(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    clock, pauses = [100.0], []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock[0] += 4.0

    monkeypatch.setattr(lock.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(lock.time, "sleep", sleep)
    monkeypatch.setattr(Turn, "try_now", lambda self: len(pauses) == 3)
    with Turn("GPU-1", folder=folder):
        assert pauses == pytest.approx([0.1, 0.02, 0.1 / 9])


def test_a_killed_process_holds_nothing(holder, folder):
    def waiting():
        os.kill(holder.pid, signal.SIGKILL)

    with Turn("GPU-1", waiting, folder):
        assert holder.wait(timeout=10) == -signal.SIGKILL


def test_another_gpu_is_free(holder, folder):
    def waiting():
        raise AssertionError("waited for a lock that nobody holds")

    with Turn("GPU-2", waiting, folder), Turn("GPU-3/../x", waiting, folder):
        assert sorted(path.name for path in folder.iterdir()) == ["GPU-1.lock", "GPU-2.lock", "GPU-3____x.lock"]


def test_an_interrupt_while_waiting_leaves_no_descriptor(holder, folder):
    def waiting():
        raise KeyboardInterrupt

    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    with pytest.raises(KeyboardInterrupt), Turn("GPU-1", waiting, folder):
        pass
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before


def test_a_child_does_not_inherit_the_lock(folder):
    with Turn("GPU-1", folder=folder):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    waited: list[str] = []
    with child:
        with Turn("GPU-1", lambda: waited.append("waited"), folder):
            assert waited == []
        child.kill()


def test_every_user_can_share_the_folder_and_none_can_take_anothers_file_away(folder):
    old = os.umask(0o077)
    try:
        with Turn("GPU-1", folder=folder):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o1777
            assert stat.S_IMODE((folder / "GPU-1.lock").stat().st_mode) == 0o644
    finally:
        os.umask(old)


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_link_is_not_followed(tmp_path, folder, what):
    precious = tmp_path / "precious"
    if what == "folder":
        precious.mkdir()
        folder.symlink_to(precious)
    else:
        precious.write_text("mine")
        folder.mkdir()
        (folder / "GPU-1.lock").symlink_to(precious)
    with pytest.raises(JudgeError, match="lock of the GPU") as refused, Turn("GPU-1", folder=folder):
        pass
    assert str(folder) in refused.value.hint


def test_every_user_of_a_machine_takes_the_same_folder(monkeypatch, folder):
    monkeypatch.setattr(tempfile, "tempdir", str(folder.parent))
    monkeypatch.setenv("HOME", "/home/another")
    assert lock_folder() == folder.parent / "kgrade-locks"
