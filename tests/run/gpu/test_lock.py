"""The lock of a GPU, between processes: one holds it at a time, and it ends with its process."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from grader.core.errors import JudgeError
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
        assert process.stdout is not None
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
        assert holder.wait(timeout=60) == 0
    assert events == ["waiting", "held"]


WAITER = """
import sys, time
from pathlib import Path
from grader.run.gpu.lock import Turn
with Turn(sys.argv[1], lambda: print("waiting", flush=True), Path(sys.argv[2])):
    with open(sys.argv[3], "a") as file:
        file.write(sys.argv[4])
    time.sleep(float(sys.argv[5]))
"""


@pytest.fixture
def wait(folder, tmp_path):
    """Starts a process that waits for GPU-1, writes its letter into a file when its turn comes, and keeps the lock."""
    processes = []

    def start(letter, keep=0.0):
        words = [sys.executable, "-c", WAITER, "GPU-1", str(folder), str(tmp_path / "order"), letter, str(keep)]
        began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        # Its ticket comes after the word, and says when it was drawn.
        with Turn("GPU-1", folder=folder)._opened() as queue:
            while lock._byte_lock(queue, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, began, 0) == fcntl.F_UNLCK:
                time.sleep(0.01)
        return process

    yield start
    for process in processes:
        with process:
            process.kill()


def test_turns_come_in_the_order_of_coming(holder, wait, tmp_path):
    waiting = [wait(letter, 0.1) for letter in "abcdef"]
    # One who gives up is passed over.
    waiting.pop(2).kill()
    holder.communicate("\n", timeout=60)
    assert [process.wait(timeout=60) for process in waiting] == [0] * 5
    assert (tmp_path / "order").read_text() == "abdef"


def test_nobody_who_comes_by_is_served_before_those_who_wait(holder, wait, folder):
    # Stopped, it can't take its turn, and still has its place.
    waiting = wait("a")
    os.kill(waiting.pid, signal.SIGSTOP)
    holder.communicate("\n", timeout=60)
    turn = Turn("GPU-1", folder=folder)
    assert not turn.try_now()
    os.kill(waiting.pid, signal.SIGCONT)
    assert waiting.wait(timeout=60) == 0
    assert turn.try_now()
    turn.release()


def test_one_that_is_stopped_while_it_waits_stops_nobody_else(holder, wait, tmp_path):
    stopped = wait("a")
    os.kill(stopped.pid, signal.SIGSTOP)
    behind = wait("b")
    holder.communicate("\n", timeout=60)
    assert behind.wait(timeout=60) == 0
    assert (tmp_path / "order").read_text() == "b"
    os.kill(stopped.pid, signal.SIGCONT)
    assert stopped.wait(timeout=60) == 0


def test_a_system_without_such_locks_serves_anybody(holder, folder, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(lock.fcntl, "fcntl", refuse)
    held = []
    with Turn("GPU-1", lambda: held.append(holder.communicate("\n", timeout=60)), folder):
        assert held


def test_a_killed_process_holds_nothing(holder, folder):
    def waiting():
        os.kill(holder.pid, signal.SIGKILL)

    with Turn("GPU-1", waiting, folder):
        assert holder.wait(timeout=60) == -signal.SIGKILL


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
