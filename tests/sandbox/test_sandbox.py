"""Programs in the sandbox: what they see and may do, how they end, and what of them is left."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

from grader.core.errors import JudgeError, ToolMissing
from grader.sandbox import Ended, Profile, Sandbox, SandboxLimits, bubblewrap
from grader.sandbox.places import View
from grader.sandbox.process import exit_code_of
from tests.sandbox.conftest import LIMITS, PYTHON, SHOWN, Run, namespaces, run_in

BOTH = pytest.mark.parametrize("profile", list(Profile), ids=lambda profile: profile.value)


@BOTH
def test_prints_and_ends(run: Run, profile: Profile) -> None:
    ended = run("import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.exit(3)", 60, profile)
    assert ended == Ended(3, None, False, "out\nerr\n")
    assert not ended.ok
    assert run("", 60, profile).ok


def test_output_is_cut_and_does_not_stop_the_program(run: Run) -> None:
    ended = run("import os\nfor _ in range(500): os.write(1, b'x' * 10_000)")
    assert ended.ok
    assert ended.output == "x" * LIMITS.output_bytes


@BOTH
def test_a_time_limit(sandbox: Sandbox, profile: Profile) -> None:
    ours, theirs = socket.socketpair()
    command = [
        str(PYTHON),
        "-I",
        "-S",
        "-c",
        "import os, time; print('here', flush=True); os.write(3, b'!'); time.sleep(600)",
    ]
    with ours, sandbox.start(command, readable=SHOWN, profile=profile, channel=theirs) as process:
        theirs.close()
        assert ours.recv(1) == b"!"
        begin = time.monotonic()
        ended = process.wait(0.2)
        assert (ended.timed_out, ended.signal, ended.output) == (True, signal.SIGKILL, "here\n")
        assert time.monotonic() - begin < 60


def test_what_root_starts_has_no_rights_and_groups_of_root() -> None:
    sandbox = Sandbox.find()
    if sandbox.user is None:
        pytest.skip("only root starts programs as another user")
    command = ["/bin/sh", "-c", "echo; exec sleep 60"]
    environment = {"PATH": "/usr/bin:/bin"}
    started = sandbox.open(command, View(), Profile.COMPILE, LIMITS, environment, stdout=subprocess.PIPE)
    with started.process as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    if started.status is not None:
        started.status.close()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    assert status["Uid"] == status["Gid"] == [str(sandbox.user)] * 4
    assert status["Groups"] == []
    assert {int(bits, 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") for bits in status[name]} == {0}


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_signal(run: Run, name: str) -> None:
    ended = run(f"import signal; signal.raise_signal(signal.{name})")
    assert (ended.signal, ended.timed_out, ended.ok) == (signal.Signals[name], False, False)


def test_processor_time(run: Run) -> None:
    limits = SandboxLimits(cpu_seconds=1)
    ended = run("import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass", 10, limits=limits)
    assert (ended.signal, ended.timed_out) == (signal.SIGKILL, False)


def test_memory(run: Run) -> None:
    ended = run("b = bytearray(3 << 30)")
    assert "MemoryError" in ended.output


def test_files_and_folders_that_are_shown(sandbox: Sandbox, run: Run, tmp_path: Path) -> None:
    if sandbox.landlock:
        pytest.skip("Landlock closes files where they are: it shows none at another path")
    own = tmp_path / "shown.txt"
    own.write_text("text")
    (tmp_path / "hidden.txt").write_text("secret")
    text = (
        "import os\nprint(open('/given/given.txt').read(), os.listdir(%r))\n"
        "try: open('/given/given.txt', 'w')\nexcept OSError as error: print(error.strerror)"
    )
    ended = run(text % str(tmp_path), readable=[*SHOWN, own], files={"/given/given.txt": own})
    assert ended.output.splitlines() == ["text ['shown.txt']", "Read-only file system"]


def test_files_that_are_not_shown_are_closed(run: Run, tmp_path: Path) -> None:
    own, hidden = tmp_path / "shown.txt", tmp_path / "hidden.txt"
    own.write_text("text")
    hidden.write_text("secret")
    text = f"print(open({str(own)!r}).read())\nopen({str(hidden)!r})"
    ended = run(text, readable=[*SHOWN, own])
    assert ended.output.startswith("text\n")
    assert "secret" not in ended.output
    assert not ended.ok


def test_the_writable_folder(run: Run, tmp_path: Path) -> None:
    text = (
        "open('made', 'w').write('x' * 1000)\nimport os; print(os.getcwd())\nopen('large', 'w').write('x' * 2_000_000)"
    )
    ended = run(text, profile=Profile.COMPILE, writable=tmp_path)
    assert ended.output.splitlines()[0] == str(tmp_path)
    assert "File too large" in ended.output
    assert (tmp_path / "made").read_text() == "x" * 1000
    assert (tmp_path / "large").stat().st_size <= LIMITS.file_bytes


def test_no_links_lead_out_of_the_writable_folder(run: Run, tmp_path: Path) -> None:
    text = (
        "import os\nfor make in (os.symlink, os.link):\n"
        "  try: make('/etc/passwd', 'out')\n  except OSError: print('no')"
    )
    assert run(text, profile=Profile.COMPILE, writable=tmp_path).output == "no\nno\n"
    assert not (tmp_path / "out").is_symlink()


@pytest.mark.parametrize("profile", (Profile.COMPILE, Profile.GPU, Profile.WATCHED), ids=lambda profile: profile.value)
def test_no_file_lends_its_owner_s_rights(run: Run, tmp_path: Path, profile: Profile) -> None:
    text = """
import ctypes, os
def attempt(call):
    try: call()
    except OSError: pass
open("plain", "w").close()
for bit in (0o4000, 0o2000):
    attempt(lambda: os.chmod("plain", bit | 0o755))
    attempt(lambda: os.fchmod(os.open("plain", os.O_RDWR), bit | 0o755))
    attempt(lambda: os.close(os.open(f"made{bit}", os.O_WRONLY | os.O_CREAT, bit | 0o755)))
    attempt(lambda: os.mknod(f"node{bit}", 0o100755 | bit))
    ctypes.CDLL(None).syscall(452, -100, b"plain", bit | 0o755, 0)
    ctypes.CDLL(None).syscall(85, f"created{bit}".encode(), bit | 0o755)
"""
    assert run(text, profile=profile, writable=tmp_path).ok
    files = list(tmp_path.iterdir())
    assert files
    assert not any(file.stat().st_mode & 0o6000 for file in files)


def test_nothing_gets_a_right_by_its_mode(run: Run, tmp_path: Path) -> None:
    text = "import os; open('made', 'w').close()\ntry: os.chmod('made', 0o4755)\nexcept PermissionError: pass"
    assert run(text, profile=Profile.COMPILE, writable=tmp_path).ok
    assert (tmp_path / "made").stat().st_uid != 0 or os.geteuid() == 0
    assert stat.S_ISREG((tmp_path / "made").lstat().st_mode)


OWN_PROFILES = (Profile.COMPILE, Profile.GPU)
REACHES_FILES = """
import os, socket
def attempt(name, call):
    try:
        call()
    except OSError:
        return
    print(name)
attempt("mode", lambda: os.chmod(FILE, 0o666))
attempt("mode of an open file", lambda: os.fchmod(os.open(SHOWN, os.O_RDONLY), 0o666))
attempt("times", lambda: os.utime(FILE, (0, 0)))
attempt("length", lambda: os.truncate(FILE, 0))
attempt("attribute", lambda: os.setxattr(FILE, "user.mine", b"1"))
attempt("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"here", SOCKET))
"""


@pytest.mark.parametrize("profile", OWN_PROFILES, ids=lambda profile: profile.value)
def test_a_file_of_the_same_user_keeps_mode_times_length_and_attributes(
    run: Run, tmp_path: Path, profile: Profile
) -> None:
    # Landlock itself sees none of these calls: the sandbox's user here is the one who owns the files.
    shown, file, own = tmp_path / "shown", tmp_path / "file", tmp_path / "own"
    own.mkdir()
    for each in (shown, file):
        each.write_text("text")
        each.chmod(0o600)
    before = file.stat()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "socket"))
        names = f"FILE, SHOWN, SOCKET = {str(file)!r}, {str(shown)!r}, {str(tmp_path / 'socket')!r}\n"
        ended = run(names + REACHES_FILES, profile=profile, readable=[*SHOWN, shown], writable=own)
    assert (ended.output, ended.ok) == ("", True)
    after = file.stat()
    assert (after.st_mode, after.st_size, after.st_mtime_ns) == (before.st_mode, before.st_size, before.st_mtime_ns)
    assert stat.S_IMODE(shown.stat().st_mode) == 0o600


SETTINGS = """
import os
def files(folder):
    for entry in os.listdir(folder):
        path = f"{folder}/{entry}"
        if entry.isdigit() or os.path.islink(path):
            continue
        try:
            yield from files(path)
        except OSError:
            yield path
try:
    found = list(files("/proc"))
except PermissionError:
    found = ["/proc/sys/kernel/core_pattern"]
for file in found:
    try:
        os.close(os.open(file, os.O_WRONLY))
    except OSError:
        continue
    print(file)
"""


def test_the_kernel_s_settings_are_read_only(run: Run) -> None:
    # Root's own number is enough to write there.
    ended = run(SETTINGS, profile=Profile.GPU)
    assert (ended.output, ended.ok) == ("", True)


def test_the_channel_is_descriptor_3(sandbox: Sandbox) -> None:
    ours, theirs = socket.socketpair()
    text = (
        "import os\nos.write(3, os.read(3, 100).upper())\nfor n in range(64):\n"
        "  try: os.fstat(n)\n  except OSError: continue\n  print(n)"
    )
    with ours, sandbox.start([str(PYTHON), "-I", "-S", "-c", text], readable=SHOWN, channel=theirs) as process:
        theirs.close()
        ours.sendall(b"hello")
        assert ours.recv(100) == b"HELLO"
        assert process.wait(60).output == "0\n1\n2\n3\n"
        assert ours.recv(1) == b""


def test_many_at_once_with_low_numbers(sandbox: Sandbox) -> None:
    # The channel may have any number in the judge, 3 too.
    pairs = [socket.socketpair() for _ in range(5)]
    text = "import os; os.write(3, os.read(3, 10))"
    started = [
        sandbox.start([str(PYTHON), "-I", "-S", "-c", text], readable=SHOWN, channel=theirs) for _, theirs in pairs
    ]
    for number, (ours, theirs) in enumerate(pairs):
        theirs.close()
        ours.sendall(b"%d" % number)
        assert ours.recv(10) == b"%d" % number
        ours.close()
    for process in started:
        assert process.wait(60).ok


def test_the_environment_is_only_what_is_given(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGRADE_TOKEN", "secret")
    ended = run("import os; print(sorted(os.environ))", environment={"GIVEN": "1"})
    assert "GIVEN" in ended.output
    assert "KGRADE_TOKEN" not in ended.output


def test_killing_ends_what_it_started(sandbox: Sandbox, tmp_path: Path) -> None:
    # Landlock does not let it leave the group that is killed.
    text = (
        "import os, time\nif os.fork() == 0:\n  try: os.setsid()\n  except OSError: pass\n  while True:\n"
        "    open('beat', 'a').write('x'); time.sleep(0.01)\ntime.sleep(600)"
    )
    beat, command = tmp_path / "beat", [str(PYTHON), "-I", "-S", "-c", text]
    with sandbox.start(command, readable=SHOWN, writable=tmp_path, profile=Profile.COMPILE) as process:
        until = time.monotonic() + 60
        while not beat.exists() and time.monotonic() < until:
            time.sleep(0.01)
        assert process.wait(0).timed_out
    size = beat.stat().st_size
    time.sleep(0.2)
    assert beat.stat().st_size == size


def test_what_outlives_its_starter_is_ended_too(run: Run, tmp_path: Path) -> None:
    text = "import os, time\nif os.fork() == 0:\n  try: os.setsid()\n  except OSError: pass\n  time.sleep(600)"
    begin = time.monotonic()
    assert run(text, 300, Profile.COMPILE, writable=tmp_path).ok
    assert time.monotonic() - begin < 300


def test_leaving_the_block_ends_it(sandbox: Sandbox) -> None:
    with sandbox.start([str(PYTHON), "-I", "-S", "-c", "import time; time.sleep(60)"], readable=SHOWN) as process:
        assert process.running
    assert not process.running
    process.kill()
    assert process.wait(1).returncode != 0


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (b"", None),
        (b'{ "child-pid": 7, "cgroup-name', None),
        (b'{ "child-pid": 7 }\n', None),
        (b'{ "child-pid": 7 }\n{ "exit-code": 3 }\n', 3),
        (b'{ "child-pid": 7 }\n{ "exit-c', None),
    ],
)
def test_a_report_that_bubblewrap_did_not_finish(report: bytes, code: int | None) -> None:
    assert exit_code_of(report) == code


def test_no_descriptors_are_left(sandbox: Sandbox, run: Run) -> None:
    run("")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        run("")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


class Unmakeable(Sandbox):
    """It shows a folder that is not there."""

    def bubblewrap_of(self, profile: Profile, view: View, filter_descriptor: int, status_descriptor: int) -> list[str]:
        program, *options = super().bubblewrap_of(profile, view, filter_descriptor, status_descriptor)
        return [program, "--ro-bind", "/nonexistent", "/x", *options]


def test_a_sandbox_that_cannot_be_made_is_no_fault_of_the_program() -> None:
    found = namespaces()
    sandbox = Unmakeable(found.program, user=found.user)
    with sandbox.start(["/bin/true"]) as process, pytest.raises(JudgeError, match="could not be made") as caught:
        process.wait(60)
    assert "/nonexistent" in caught.value.hint


def test_a_place_that_is_not_there(sandbox: Sandbox) -> None:
    with pytest.raises(JudgeError, match="can't show /nonexistent/file: there is no such"):
        sandbox.start(["/bin/true"], readable=[Path("/nonexistent/file")])


def test_a_program_that_is_missing(run: Run, sandbox: Sandbox) -> None:
    with sandbox.start(["/nonexistent"]) as process:
        try:
            assert not process.wait(60).ok
        except JudgeError as error:
            assert "nonexistent" in error.hint


@pytest.fixture
def bare() -> Sandbox:
    """That of a machine without bubblewrap and without Landlock."""
    return Sandbox.of(None, 0)


def test_without_bubblewrap_limits_are_left(bare: Sandbox, tmp_path: Path) -> None:
    assert (bare.protects, bare.reason) == (False, "bubblewrap is not installed")
    text = "import os; print(os.getcwd(), sorted(os.environ)[:1]); b = bytearray(3 << 30)"
    ended = run_in(bare, text, 60, Profile.COMPILE, writable=tmp_path)
    assert ended.output.startswith(f"{tmp_path} ['LC_ALL']")
    assert "MemoryError" in ended.output
    assert run_in(bare, "import signal; signal.raise_signal(9)", 60, Profile.RECORD).signal == signal.SIGKILL
    assert run_in(bare, "import time; time.sleep(60)", 0.3, Profile.RECORD).timed_out


def test_without_bubblewrap_files_are_where_they_are(bare: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print('own')")
    with bare.start([str(PYTHON), "/given/shown.py"], files={"/given/shown.py": tmp_path / "own.py"}) as process:
        assert process.wait(60).output == "own\n"


def test_one_that_is_required_and_missing() -> None:
    with pytest.raises(ToolMissing, match="bubblewrap is not installed") as caught:
        Sandbox.of(None, 0, required=True)
    assert caught.value.hint == "type: apt install bubblewrap"


def test_one_that_does_not_work(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n")
    program.chmod(0o755)
    assert Sandbox.of(str(program), landlock=1).name == "Landlock"
    found = Sandbox.of(str(program), landlock=0)
    assert (found.protects, found.reason) == (False, "bwrap: No permissions to create a new namespace")
    with pytest.raises(ToolMissing, match="No permissions"):
        Sandbox.of(str(program), landlock=0, required=True)


def test_another_machine_has_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    # The filter is a table of numbers, which differ by machine.
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert bubblewrap.find_program() is None
