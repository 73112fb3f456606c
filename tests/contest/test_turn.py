"""Turns: one writer at a time among threads and processes, and nobody waits for ever."""

import subprocess
import sys
import threading
import time
from pathlib import Path

from grader.contest.turn import Turn


def test_one_at_a_time_among_threads_and_open_files(tmp_path: Path) -> None:
    turns = [Turn(tmp_path / "a.db") for _ in range(3)]
    inside: list[int] = []
    most = []

    def work(turn: Turn) -> None:
        for _ in range(10):
            with turn.taken():
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.001)
                inside.pop()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in turns for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 60


def test_the_turn_of_a_killed_process_is_free(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from grader.contest.turn import Turn\n"
        "with Turn(Path(sys.argv[1])).taken(): print('taken', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "a.db")], stdout=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == b"taken\n"
    turn = Turn(tmp_path / "a.db")
    assert turn._locked(time.monotonic()) is None
    other.kill()
    other.wait()
    other.stdout.close()
    assert turn._locked(time.monotonic()) is not None
    turn.close()


def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    stopped, other = Turn(tmp_path / "a.db", patience=0.05), Turn(tmp_path / "a.db", patience=0.05)
    done = []

    def work() -> None:
        with stopped.taken():
            done.append("a thread")

    with stopped.taken():
        with other.taken():
            done.append("another process")
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(5)
    assert done == ["another process", "a thread"]


def test_without_a_file_the_work_goes_on(tmp_path: Path) -> None:
    with Turn(tmp_path / "missing" / "a.db").taken():
        pass
    (tmp_path / "a.db-turn").symlink_to(tmp_path / "elsewhere")
    with Turn(tmp_path / "a.db").taken():
        assert not (tmp_path / "elsewhere").exists()
