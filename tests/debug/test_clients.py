"""Clients not of kgrade's own making, real kernels, both ways in: standard streams and a port."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.debug.framing import read_message
from grader.debug.terminal import PROMPT

from .client import Client, check_schema

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent / "editor"
DAP_MODE = Path("/usr/share/emacs/site-lisp/elpa-src")
PACKAGES = ROOT / "editors" / "vscode"
KERNELS = ROOT / "problems" / "matmul" / "submissions" / "runtime_error"
RACE = KERNELS / "missing_barrier_after_use.cu"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing; type: apt-get install nodejs npm")
@pytest.mark.skipif(
    not (PACKAGES / "node_modules" / "@vscode" / "debugadapter-testsupport").exists(),
    reason=f"VS Code's test client is missing; type: npm install --prefix {PACKAGES.relative_to(ROOT)}",
)
def test_a_session_with_vs_code_s_own_client() -> None:
    command = ["node", *map(str, (HERE / "session.js", sys.executable, HERE / "adapter.py"))]
    command += map(str, (PACKAGES / "package.json", RACE))
    run = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert run.stdout.splitlines() == [
        "breakpoint",
        "data breakpoint, backwards",
        "back and ahead",
        "fault",
        "variables",
    ], run.stderr


@pytest.mark.skipif(
    shutil.which("emacs") is None or not any(DAP_MODE.glob("dap-mode-*")),
    reason="Emacs with dap-mode is missing; type: apt-get install emacs-nox elpa-dap-mode",
)
def test_a_session_in_emacs_as_the_page_for_editors_sets_it_up(tmp_path: Path) -> None:
    kgrade = tmp_path / "kgrade"
    kgrade.write_text(f"#!/bin/sh\nexec {sys.executable} {HERE / 'adapter.py'}\n")
    kgrade.chmod(0o755)
    environment = {**ENVIRONMENT, "HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["emacs", "--batch", "--load", *map(str, (HERE / "session.el", ROOT / "docs" / "editors.md", RACE))]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=180, check=False)
    assert run.stdout.splitlines() == ["breakpoint in line 27", "start + k = 0", "next: line 26", "back: line 27"], (
        run.stderr
    )


PLAYED = """\
#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__).parent
if (here / "fails").exists():
    print(json.dumps({{"error": "there is no compiler", "hint": "type: kgrade doctor"}}))
elif sys.argv[1] == "list":
    print(json.dumps({{"problems": [{{"problem": "matmul", "title": "Matrix multiplication"}}]}}))
else:
    (here / "page.html").write_text("<p>the report</p>")
    print(json.dumps({{
        "verdict": "runtime_error", "headline": "Data race in tile, line 3", "line": 3, "fault": "data_race",
        "kind": None, "pattern": "", "explanation": [], "diagnostics": [], "page": str(here / "page.html"),
    }}))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing; type: apt-get install nodejs npm")
def test_the_extension_of_vs_code_grades_debugs_and_says_what_fails(tmp_path: Path) -> None:
    (tmp_path / "kgrade").write_text(PLAYED.format(python=sys.executable))
    (tmp_path / "kgrade").chmod(0o755)
    (tmp_path / "matmul").mkdir()
    (tmp_path / "matmul" / "mine.cu").write_text("__global__ void k() {\n    int i;\n    i = 3;\n}\n")
    run = subprocess.run(
        ["node", HERE / "extension.js", tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.stdout.splitlines() == ["grade", "debug", "errors"], run.stderr


@contextmanager
def served(*arguments: str) -> Iterator[int]:
    """The port of a `kgrade debug --port 0`, which is interrupted in the end."""
    command = [sys.executable, "-m", "grader", "debug", *arguments, "--port", "0"]
    # Tests that run in the background inherit that interrupts are ignored, and so would the server.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, preexec_fn=_heed_interrupts
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            yield int(process.stdout.readline().split(":")[1].split(";")[0])
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_on_a_port_one_client_follows_the_other_and_only_the_named_file_is_debugged() -> None:
    with served("matmul", str(RACE), "--case", "M=1,N=17,K=1", "--seed", "1") as port:
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
                with connection.makefile("rb") as answers:
                    message = read_message(answers)
                    assert message is not None and "the connection ends" in message["body"]["output"]
                    assert read_message(answers) is None
        with (
            socket.create_connection(("127.0.0.1", port)) as connection,
            connection.makefile("rb") as reader,
            connection.makefile("wb") as writer,
        ):
            client = Client(reader, writer).launched(problem="matmul", file="/etc/passwd")
            client.ask("configurationDone")
            stop = client.event("stopped")
            assert stop["reason"] == "exception" and "__syncthreads() is missing" in stop["text"]
            frame = client.stack(stop["threadId"])[0]
            assert frame["source"]["path"] == str(RACE) and frame["line"] == 22
            client.ask("disconnect")
            check_schema(client.all)


def debugged(*arguments: str, script: str) -> list[str]:
    """What `kgrade debug --terminal` prints for a script, without what it says while recording."""
    command = [sys.executable, "-m", "grader", "debug", *arguments, "--terminal"]
    run = subprocess.run(
        command, input=script, capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False
    )
    assert run.returncode == 0 and not run.stderr, run.stderr
    return run.stdout.splitlines()


def test_the_same_seed_gives_the_same_steps_and_a_device_function_is_entered(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text(
        "struct Cell { int row; float parts[2]; };\n"
        "__device__ float times(float a, float b) {\n"
        "    float product = a * b;  // \x1b[31m red\n"
        "    return product;\n"
        "}\n"
        "__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C,\n"
        "                                             int M, int N, int K) {\n"
        "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (row >= M || column >= K) return;\n"
        "    Cell cell;\n"
        "    cell.row = row;\n"
        "    float sum = 0.0f;\n"
        "    for (int k = 0; k < N; k++) {\n"
        "        sum += times(A[row * N + k], B[k * K + column]);\n"
        "        cell.parts[k % 2] = sum;\n"
        "    }\n"
        "    C[row * K + column] = sum;\n"
        "}\n"
    )
    script = (
        "goto 1\nprint N * 7\nbreak 3 if threadIdx.x == 0 && threadIdx.y == 0\ncontinue\nwhere\nnext\n"
        "print product == a * b\nout\nnext\nnext\nprint cell.row\nprint cell.parts[0] == sum\n"
        "print C + 1 == &C[1]\nprint (float)k + 0.5f\nlist 2\n"
        "back 2\nwatch C[0]\ncontinue\ncontinue\nprint A[0] * B[0] == sum\n"
    )
    arguments = ("matmul", str(file), "--case", "M=1,N=1,K=1")
    printed = debugged(*arguments, script=f"{script}restart\ndelete 1\ndelete 2\n{script}")
    assert "  0  times at kernel.cu:3" in printed and "  1  matrix_multiplication_kernel at kernel.cu:15" in printed
    assert not any("\x1b" in line for line in printed), "the file's text does not steer the terminal"
    for line in (
        "N * 7 = 7 (int)",
        "product == a * b = true (bool)",
        "cell.row = 0 (int)",
        "cell.parts[0] == sum = true (bool)",
        "(float)k + 0.5f = 0.5 (float)",
        "A[0] * B[0] == sum = true (bool)",
    ):
        assert line in printed, printed
    again = printed.index(f"{PROMPT}restart")
    first, second = ([line for line in part if ", step " in line] for part in (printed[:again], printed[again:]))
    assert len(first) > 5 and second == first, "a restart shows the same steps, of a seed that nobody gave"


def test_a_file_with_its_own_solve_is_debugged_at_its_launch() -> None:
    file = KERNELS.parent / "accepted" / "solve_naive.cu"
    printed = debugged("matmul", str(file), "--case", "M=1,N=2,K=1", "--seed", "1", script="print N\ncontinue\nback\n")
    assert "it is right in every case; this is one of them" in printed
    assert "N = 2 (int)" in printed and "the block has ended" in printed


def test_a_python_kernel_is_debugged_by_line() -> None:
    pytest.importorskip("numba.cuda", reason="numba-cuda is missing; type: make test")
    file = KERNELS / "numba_barrier_after_use_forgotten.py"
    printed = debugged("matmul", str(file), "--case", "M=1,N=17,K=1", "--seed", "1", script="continue\nlanes\nback\n")
    at = next(number for number, line in enumerate(printed) if "a[y, x] = A[row, start + x]" in line)
    assert "thread (0,14,0)" in printed[at - 1]


def test_a_function_of_python_has_its_name_in_the_source() -> None:
    pytest.importorskip("numba.cuda", reason="numba-cuda is missing; type: make test")
    file = ROOT / "problems" / "map" / "submissions" / "runtime_error" / "numba_missing_bounds_check.py"
    printed = debugged("map", str(file), "--case", "N=1", "--seed", "1", script="continue\nwhere\n")
    assert any(line.startswith("apply of map, N=1") for line in printed)
    assert "  0  apply at numba_missing_bounds_check.py:18" in printed


def test_an_earlier_submission_is_debugged_from_its_text(tmp_path: Path) -> None:
    kgrade = [sys.executable, "-m", "grader", "--workspace", str(tmp_path / "lab")]
    subprocess.run([*kgrade[:3], "new", str(tmp_path / "lab")], env=ENVIRONMENT, capture_output=True, check=True)
    mine = tmp_path / "mine.cu"
    mine.write_text(RACE.read_text())
    submit = [*kgrade, "submit", "matmul", str(mine), "--device", "emulator", "--seed", "5"]
    assert subprocess.run(submit, env=ENVIRONMENT, capture_output=True, check=False).returncode == 1
    mine.unlink()
    command = [*kgrade, "debug", "--submission", "1", "--terminal"]
    script = "continue\nprint start\n"
    run = subprocess.run(command, input=script, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    # With the seed of then, so that it fails where the report says.
    assert "--seed 5" in run.stdout + run.stderr
    assert "data race in shared array tile_A" in run.stdout and "start = 16 (int)" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--terminal",), "what is to be debugged is not said"),
        (("matmul", "--port", "0"), "what is to be debugged is not said"),
        (("matmul", "nowhere.cu", "--terminal"), "nowhere.cu"),
        (("matmul", str(RACE), "--terminal", "--port", "0"), "exclude each other"),
        (("matmul", str(RACE), "--submission", "3"), "FILE is too much"),
        (("matmul", str(RACE), "--terminal", "--case", "M=x"), "'x' is not a whole number"),
        (("matmul", str(KERNELS.parent / "compile_error" / "syntax_error.cu"), "--terminal"), "can't be debugged"),
    ],
)
def test_what_can_not_be_debugged_is_said(arguments: tuple[str, ...], words: str) -> None:
    command = [sys.executable, "-m", "grader", "debug", *arguments]
    run = subprocess.run(command, input="", capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert run.returncode == 2 and words in run.stderr and "Traceback" not in run.stderr
