"""Workers as jobs of Slurm: how many, and on a cluster of this machine alone, one of them killed in the middle."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.cli import run
from grader.contest.jobs import Outcome
from grader.contest.records import JUDGED, RUNNING
from grader.contest.slurm import SlurmJobs, follow, jobs_to_start, shared_file
from grader.contest.worker import Worker
from grader.core.errors import JudgeError, UsageError

from .conftest import load_benchmark
from .site_samples import Hall, open_hall
from .test_worker import JOB, Source, accept

ROOT = Path(__file__).parents[2]
ENDLESS = """__global__ void matrix_multiplication_kernel(
    const float* A, const float* B, float* C, int M, int N, int K) {
    while (K >= 0) C[0] = A[0];
}
"""


@pytest.mark.parametrize(
    ("waiting", "active", "most", "started"),
    [(0, 0, 4, 0), (1, 0, 4, 1), (1, 1, 4, 0), (9, 1, 4, 2), (1000, 1, 4, 3), (1000, 4, 4, 0), (3, 5, 4, 0)],
)
def test_jobs_follow_the_queue(waiting: int, active: int, most: int, started: int) -> None:
    assert jobs_to_start(waiting, active, most) == started


def test_the_script_quotes_what_it_runs(tmp_path: Path) -> None:
    work = SlurmJobs.of_worker(tmp_path / "a b", "https://x.org", tmp_path / "$(token)", ["--device", "gpu"], [])
    last = work.script().splitlines()[-1]
    assert last.startswith("exec ") and f"'{tmp_path}/a b'" in last and f"'{tmp_path}/$(token)'" in last
    other = SlurmJobs.of_worker(tmp_path, "https://y.org", tmp_path, [], [])
    assert work.name != other.name
    with pytest.raises(UsageError, match="standard input"):
        shared_file("-")


def test_a_server_that_is_away_is_asked_again() -> None:
    said: list[str] = []
    stop = threading.Event()

    def waiting() -> int:
        if said:
            stop.set()
            return 0
        raise JudgeError("the server is away")

    follow(SlurmJobs("https://x.org", []), waiting, 4, stop, said.append, seconds=0.01)
    assert said == ["the server is away; trying again"]


def test_a_worker_without_work_ends() -> None:
    source, said = Source(JOB), list[str]()
    worker = Worker(source, "w", "emulator", accept, lambda: "", pause=0.01, until_idle=0.05, say=said.append)
    assert worker.run() == "" and source.finished == [Outcome("accepted")] and "no work for 0.05 s" in said


def test_jobs_are_submitted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs, token = tmp_path / "bin", tmp_path / "worker.token"
    programs.mkdir()
    (programs / "squeue").write_text("#!/bin/sh\n")
    (programs / "sbatch").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\ncat >>{tmp_path}/asked\necho "7;all"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    token.touch(mode=0o600)
    token.write_text("token-of-cluster\n")
    with open_hall(tmp_path / "site") as hall:
        hall.worker("cluster")
        command = ["--workspace", str(tmp_path / "site"), "worker", "--server", hall.address]
        command += ["--token-file", str(token), "--once", "--sbatch=--gres=gpu:1"]
        assert run(command) == 2 and "add --slurm" in capsys.readouterr().err
        monkeypatch.setenv("PATH", "/nowhere")
        assert run([*command, "--slurm"]) == 3 and "sbatch is not here" in capsys.readouterr().err
        monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
        assert run([*command, "--slurm", "--jobs", "2"]) == 0
    assert capsys.readouterr().out == "submitted job 7\nsubmitted job 7\n"
    asked = (tmp_path / "asked").read_text()
    assert asked.count("--parsable --gres=gpu:1\n#!/bin/sh") == 2 and "--until-idle 60" in asked
    assert "token-of-cluster" not in asked


@pytest.fixture(scope="module")
def slurm() -> Any:
    cluster = load_benchmark("slurm_cluster")
    if reason := cluster.why_not():
        pytest.skip(reason)
    with cluster.open_cluster() as environment:
        yield environment


def until(true: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_on_a_cluster(slurm: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with open_hall(tmp_path / "site") as hall:
        hall.worker("cluster")
        token = tmp_path / "worker.token"
        token.touch(mode=0o600)
        token.write_text("token-of-cluster\n")
        command = [sys.executable, "-m", "grader", "--workspace", str(tmp_path / "site"), "worker"]
        command += ["--server", hall.address, "--token-file", str(token), "--device", "emulator", "--until-idle", "2"]
        command += ["--slurm", "--jobs", "2"]
        environment = {**os.environ, "SLURM_CONF": slurm["SLURM_CONF"]}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        try:
            first = hall.submit("ada", ENDLESS)
            until(lambda: state_of(hall, first) == RUNNING)
            assert jobs_in(environment)
            # All at once, as when a node fails: nothing is given back.
            subprocess.run(["scancel", "--signal=KILL", "--batch", *jobs_in(environment)], env=environment, check=True)
            until(lambda: not jobs_in(environment))
            assert state_of(hall, first) == RUNNING
            hall.pass_time(seconds=30)
            until(lambda: state_of(hall, first) == JUDGED)
            # Without work they end by themselves.
            until(lambda: not jobs_in(environment))
        finally:
            process.terminate()
            said = process.communicate(timeout=30)[1]
    assert process.returncode == 0 and said.count("1 waiting: started job") == 2


def jobs_in(environment: dict[str, str]) -> list[str]:
    command = ["squeue", "--noheader", "--format=%A"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def state_of(hall: Hall, number: int) -> str:
    return str(hall.program("ada").get(f"/api/submissions/{number}").json()["state"])
