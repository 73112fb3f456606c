"""Child processes that answer, hang, crash, misbehave and outlive nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.core.errors import ToolMissing, UsageError
from grader.sandbox import Confinement, Profile, Sandbox, children, serving
from grader.sandbox.children import Child, ChildDied, ChildFailed, ChildTimeout
from grader.sandbox.confinement import make_folder, remove_folder
from grader.sandbox.landlock import landlock_version
from grader.sandbox.serving import child_connection

ROOT = Path(__file__).resolve().parent.parent

CHILD = """
import ctypes, os, signal, subprocess, sys, time
from grader.core.errors import ToolMissing
from grader.sandbox.serving import serve

def answer(message):
    what = message["do"]
    if what == "echo":
        return {"text": message["text"]}
    if what == "sleep":
        time.sleep(60)
    if what == "crash":
        sys.stderr.write("last words")
        sys.stderr.flush()
        ctypes.string_at(0)
    if what == "exit":
        os._exit(7)
    if what == "raise":
        raise ValueError("a bad value")
    if what == "missing":
        raise ToolMissing("no such tool", "pip install tool")
    if what == "print":
        print("noise on standard output")
        os.write(2, b"noise on standard error")
        return {"input": sys.stdin.read()}
    if what == "grandchild":
        return {"pid": subprocess.Popen(["sleep", "60"]).pid}
    if what == "look":
        return {
            "environment": dict(os.environ),
            "descriptors": sorted(int(n) for n in os.listdir("/proc/self/fd")),
            "folder": os.getcwd(),
            "session": os.getsid(0),
            "pid": os.getpid(),
            "args": sys.argv[1:],
        }
    return {}

serve(answer)
"""

RAW_CHILD = """
import sys, time
from grader.sandbox.serving import child_connection

connection = child_connection()._connection
if sys.argv[1] == "array":
    connection.send_bytes(b"[1, 2]")
elif sys.argv[1] == "failure":
    connection.send_bytes(b'{"kgrade failure": "none"}')
elif sys.argv[1] == "closed":
    connection.close()
else:
    connection._send(b"\\0\\0\\1\\0half a message")
time.sleep(60)
"""

PARENT = """
import sys
from grader.sandbox.children import Child

child = Child("echo_child", environment={"PYTHONPATH": sys.argv[1]})
child.send({"do": "grandchild"})
child.receive(20)
child.send({"do": "sleep"})
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def modules(tmp_path: Path) -> str:
    (tmp_path / "echo_child.py").write_text(CHILD)
    (tmp_path / "raw_child.py").write_text(RAW_CHILD)
    return os.pathsep.join([str(tmp_path), str(ROOT)])


@pytest.fixture
def child(modules: str) -> Iterator[Child]:
    with Child("echo_child", ["one", "two"], environment={"PYTHONPATH": modules}) as started:
        yield started


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    until = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_running(pid)


def test_answers_each_message_in_turn(child: Child) -> None:
    for text in ("one", "zwölf ✓", "x" * 3_000_000):
        child.send({"do": "echo", "text": text})
        assert child.receive(20) == {"text": text}


def test_a_slow_answer_is_a_timeout_and_the_end_of_the_child(child: Child) -> None:
    child.send({"do": "sleep"})
    begun = time.monotonic()
    with pytest.raises(ChildTimeout, match=r"0\.3 seconds"):
        child.receive(0.3)
    # It would answer after 60 s.
    assert time.monotonic() - begun < 50
    assert not is_running(child.pid)


def test_a_crash_is_told_with_its_signal_and_last_words(child: Child) -> None:
    child.send({"do": "crash"})
    with pytest.raises(ChildDied, match="SIGSEGV") as caught:
        child.receive(20)
    assert caught.value.signal is signal.SIGSEGV
    assert caught.value.output.startswith("last words")


def test_an_exit_is_told_with_its_code(child: Child) -> None:
    child.send({"do": "exit"})
    with pytest.raises(ChildDied, match="exit code 7") as caught:
        child.receive(20)
    assert caught.value.signal is None
    assert caught.value.returncode == 7


def test_sending_to_a_dead_or_closed_child_says_so(child: Child) -> None:
    os.kill(child.pid, signal.SIGKILL)
    assert wait_until_gone(child.pid)
    with pytest.raises(ChildDied, match="SIGKILL"):
        child.send({"do": "echo", "text": "x" * 10_000_000})
    with pytest.raises(ChildDied, match="is closed"):
        child.send({"do": "echo", "text": ""})


def test_an_error_of_the_handler_comes_with_its_traceback_and_the_child_lives_on(child: Child) -> None:
    child.send({"do": "raise"})
    with pytest.raises(ChildFailed, match="ValueError: a bad value") as caught:
        child.receive(20)
    assert "echo_child.py" in caught.value.hint
    child.send({"do": "echo", "text": "still here"})
    assert child.receive(20) == {"text": "still here"}


def test_an_error_of_the_tree_keeps_its_class_and_hint(child: Child) -> None:
    child.send({"do": "missing"})
    with pytest.raises(ToolMissing, match="no such tool") as caught:
        child.receive(20)
    assert caught.value.hint == "pip install tool"


def test_what_a_child_prints_goes_nowhere(child: Child, capfd: pytest.CaptureFixture[str]) -> None:
    child.send({"do": "print"})
    assert child.receive(20) == {"input": ""}
    assert capfd.readouterr() == ("", "")


def test_a_child_sees_only_what_it_needs(modules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("KGRADE_CACHE", "/somewhere")
    secret = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        with Child("echo_child", ["one", "two"], environment={"PYTHONPATH": modules}) as child:
            child.send({"do": "look"})
            seen = child.receive(20)
    finally:
        os.close(secret)
    assert "SECRET_TOKEN" not in seen["environment"]
    assert serving.CHANNEL not in seen["environment"]
    assert seen["environment"]["KGRADE_CACHE"] == "/somewhere"
    assert seen["args"] == ["one", "two"]
    assert seen["folder"] == "/"
    assert seen["session"] == seen["pid"] == child.pid
    # Its standard streams, its channel, the shared memory, and the folder that it was just listing.
    assert len(seen["descriptors"]) == 6


def test_the_package_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with Child("grader.sandbox.children") as child, pytest.raises(ChildDied) as caught:
        child.receive(20)
    assert caught.value.returncode == 0


def test_closing_kills_the_whole_group(child: Child) -> None:
    child.send({"do": "grandchild"})
    pid = child.receive(20)["pid"]
    assert is_running(pid)
    child.close()
    child.close()
    assert not is_running(child.pid)
    assert wait_until_gone(pid)


def test_a_forgotten_child_is_ended(modules: str) -> None:
    child = Child("echo_child", environment={"PYTHONPATH": modules})
    pid = child.pid
    del child
    assert wait_until_gone(pid)


def test_a_child_dies_with_its_killed_parent(modules: str) -> None:
    environment = {**os.environ, "PYTHONPATH": modules}
    command = [sys.executable, "-c", PARENT, modules]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    assert wait_until_gone(pid)


def test_a_message_that_is_no_object(modules: str) -> None:
    with Child("raw_child", ["array"], environment={"PYTHONPATH": modules}) as child:
        with pytest.raises(ChildFailed, match="not a JSON object"):
            child.receive(20)
        assert not is_running(child.pid)


def test_a_message_of_more_values_than_memory_has_room_for(child: Child) -> None:
    child.most_values = 3
    child.send({"do": "echo", "text": [1]})
    assert child.receive(20) == {"text": [1]}
    child.send({"do": "echo", "text": [[]] * 4})
    with pytest.raises(ChildFailed, match="not a JSON object"):
        child.receive(20)
    assert not is_running(child.pid)


def test_a_failure_that_is_none(modules: str) -> None:
    child = Child("raw_child", ["failure"], environment={"PYTHONPATH": modules})
    with child, pytest.raises(ChildFailed, match="not a JSON object"):
        child.receive(20)


def test_folders_deeper_than_a_path_may_be_long_are_removed(tmp_path: Path) -> None:
    folder = make_folder()
    inside = "import os\nfor _ in range(1500): os.mkdir('d' * 9); os.chdir('d' * 9)\nopen('f', 'w'); os.chmod('.', 0)"
    subprocess.run([sys.executable, "-c", inside], cwd=folder, check=True)
    (folder / "link").symlink_to(tmp_path)
    before = tmp_path.stat().st_mode
    remove_folder(folder)
    assert not folder.exists()
    assert tmp_path.stat().st_mode == before


def test_a_message_that_stops_halfway(modules: str) -> None:
    child = Child("raw_child", ["half"], environment={"PYTHONPATH": modules})
    child.transfer_seconds = 0.3
    with child, pytest.raises(ChildTimeout, match="stopped on its way"):
        child.receive(20)
    assert not is_running(child.pid)


def test_a_child_that_takes_no_message(child: Child) -> None:
    child.transfer_seconds = 0.3
    child.send({"do": "sleep"})
    with pytest.raises(ChildTimeout, match="stopped on its way"):
        child.send({"do": "echo", "text": "x" * 10_000_000})
    assert not is_running(child.pid)


def test_a_child_that_is_still_starting_has_longer_for_a_message(child: Child) -> None:
    child.transfer_seconds = 1e-3
    text = "x" * 1_000_000
    child.send({"do": "echo", "text": text}, 20)
    child.transfer_seconds = 20
    assert child.receive(20)["text"] == text


def test_a_message_over_the_limit_ends_the_child(child: Child) -> None:
    child.message_limit = 1000
    child.send({"do": "echo", "text": "x" * 5000})
    with pytest.raises(ChildDied, match=r"a message of .* bytes, where 1,000 are the most") as caught:
        child.receive(20)
    assert caught.value.signal is None
    assert not is_running(child.pid)


def test_a_child_that_closes_its_channel_and_goes_on(modules: str) -> None:
    child = Child("raw_child", ["closed"], environment={"PYTHONPATH": modules})
    with child, pytest.raises(ChildDied, match="closed its channel") as caught:
        child.receive(20)
    assert caught.value.signal is None
    assert not is_running(child.pid)


def test_a_child_module_alone_says_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(serving.CHANNEL, raising=False)
    with pytest.raises(UsageError, match="started by kgrade itself"):
        child_connection()


def test_no_child_knows_a_servers_secrets(monkeypatch):
    monkeypatch.setenv("KGRADE_TOKEN", "secret")
    monkeypatch.setenv("KGRADE_DATABASE", "postgresql://secret")
    monkeypatch.setenv("KGRADE_CACHE", "/cache")
    told = children._environment(3, 1, {})
    assert told["KGRADE_CACHE"] == "/cache"
    assert not any("secret" in value for value in told.values())


HIDDEN = ("/etc/passwd", str(ROOT / "README.md"), str(ROOT / "problems"), str(ROOT / "pyproject.toml"))
CONFINED = """
import os
from grader.sandbox.serving import serve, shared_memory

MEMORY = shared_memory()

def answer(message):
    os.pwrite(MEMORY, b"handed over", 0)
    closed = []
    for path in message["paths"]:
        try:
            os.listdir(path) if os.path.isdir(path) else open(path).close()
        except OSError:
            closed.append(path)
    return {"closed": closed, "environment": sorted(os.environ), "folder": os.getcwd()}

serve(answer)
"""


def kinds_of_sandbox() -> Iterator[Sandbox]:
    found = Sandbox.find()
    if found.program is not None:
        yield found
    if version := landlock_version():
        yield Sandbox(None, "for a test", landlock=version)


@pytest.mark.parametrize("sandbox", list(kinds_of_sandbox()), ids=lambda sandbox: sandbox.name)
@pytest.mark.parametrize("profile", [Profile.COMPILE, Profile.COMPUTE])
def test_a_confined_child_sees_kgrade_and_nothing_beside_it(
    sandbox: Sandbox, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "confined_child.py").write_text(CONFINED)
    monkeypatch.setenv("KGRADE_TOKEN", "hunter2")
    paths = [*HIDDEN, str(ROOT / "grader" / "cli.py")]
    confinement = Confinement(sandbox, profile, readable=(tmp_path,))
    with Child("confined_child", environment={"PYTHONPATH": str(tmp_path)}, confinement=confinement) as child:
        child.send({"paths": paths})
        seen = child.receive(20)
        assert os.pread(child.memory, 20, 0) == b"handed over"
    assert seen["closed"] == list(HIDDEN)
    assert "KGRADE_TOKEN" not in seen["environment"]


@pytest.mark.parametrize("sandbox", list(kinds_of_sandbox()), ids=lambda sandbox: sandbox.name)
def test_a_confined_child_writes_in_its_own_folder_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "writing_child.py").write_text(
        "import os\nfrom pathlib import Path\nfrom grader.sandbox.serving import serve\n"
        "def answer(message):\n"
        "    Path('made').mkdir()\n    Path('made/file').write_text('text')\n    os.umask(0o777)\n"
        "    Path('made/closed').mkdir()\n"
        "    try:\n        Path(message['beside'], 'out').write_text('out')\n"
        "    except OSError as error:\n        return {'refused': str(error), 'folder': os.getcwd()}\n"
        "    return {}\n"
        "serve(answer)\n"
    )
    confinement = Confinement(sandbox, Profile.COMPILE, readable=(tmp_path,))
    with Child(
        "writing_child", environment={"PYTHONPATH": str(tmp_path)}, confinement=confinement, scratch=()
    ) as child:
        child.send({"beside": str(tmp_path)})
        answer = child.receive(20)
        assert answer["refused"]
        assert answer["folder"] == str(child.scratch)
    assert child.scratch is not None
    assert not child.scratch.exists()
    assert not (tmp_path / "out").exists()
