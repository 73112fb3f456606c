"""A small run of benchmarks/contest_reliability.py: server, workers and database are killed, and nothing is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nothing_is_lost_when_everything_is_killed(kind: str, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("fastapi", reason="pip install 'kgrade[server]'")
    if kind == "postgresql":
        request.getfixturevalue("postgres")
    command = [sys.executable, str(ROOT / "benchmarks" / "contest_reliability.py"), "--database", kind]
    command += ["--submissions", "40", "--kills", "4", "--pauses", "1", "--workers", "2", "--seed", "3"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert (figures["on record"], figures["judged"], figures["lost"], figures["counted twice"]) == (40, 40, 0, 0)
    assert sum(figures["kills"].values()) == 5
