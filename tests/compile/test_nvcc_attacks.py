"""Hostile sources against nvcc: each file under tests/attacks_host/compile/ gets the verdict that it declares.

The first lines of a file say what it `tries`, what to `expect` ("accepted" is that it compiles), a pattern of what the
report then `says`, and the `seconds` that it is given where it would take all. @SECRET@ stands for the path of a file
of the host, whose text must come out nowhere.
"""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.compile.nvcc import CompileFailure, compile_solve
from grader.compile.program import Program
from grader.sandbox import Sandbox
from tests.compile.solve_samples import SOLVE, needs_nvcc, needs_sandbox

FOLDER = Path(__file__).parents[1] / "attacks_host" / "compile"
SECONDS = 60.0
SECRET = "kgrade-secret-5f2d"
_FIELD = re.compile(r"^// (\w+): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """One file, and what it declares of itself."""

    file: Path
    fields: dict[str, str]

    @property
    def expected(self) -> set[str]:
        return set(self.fields["expect"].split("|"))

    @property
    def seconds(self) -> float:
        return float(self.fields.get("seconds", SECONDS))

    @property
    def is_endless(self) -> bool:
        """Whether it takes all the time that it is given."""
        return "seconds" in self.fields


def read_attack(file: Path) -> Attack:
    opening = file.read_text(encoding="utf-8").split("\n//\n")[0]
    return Attack(file, dict(_FIELD.findall(opening)))


ATTACKS = [read_attack(file) for file in sorted(FOLDER.glob("*.cu"))]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret.txt"
    file.write_text(f"{SECRET}\n")
    file.chmod(0o644)
    return file


def attempt(attack: Attack, secret: Path) -> Program | CompileFailure:
    source = attack.file.read_text(encoding="utf-8").replace("@SECRET@", str(secret))
    try:
        return compile_solve(source, "submission.cu", time_limit=attack.seconds, sandbox=Sandbox.find(required=True))
    except CompileFailure as failure:
        return failure


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.file.stem)
def test_an_attack_declares_what_it_tries(attack: Attack) -> None:
    assert attack.fields["tries"]
    assert attack.expected <= {"accepted", "compile_error"}
    assert set(attack.fields) <= {"tries", "expect", "says", "seconds"}


@needs_nvcc
@needs_sandbox
@pytest.mark.parametrize("attack", [a for a in ATTACKS if not a.is_endless], ids=lambda attack: attack.file.stem)
def test_an_attack_on_the_compiler(attack: Attack, secret: Path) -> None:
    check(attack, secret)


@needs_nvcc
@needs_sandbox
def test_attacks_that_take_all_the_time_they_get(secret: Path) -> None:
    endless = [attack for attack in ATTACKS if attack.is_endless]
    assert len(endless) > 5
    # At the same time: they wait for the same clock.
    with ThreadPoolExecutor(len(endless)) as pool:
        for done in [pool.submit(check, attack, secret) for attack in endless]:
            done.result()


def check(attack: Attack, secret: Path) -> None:
    """Tries it, and compares what comes of it with what it declares."""
    begin = time.monotonic()
    got = attempt(attack, secret)
    assert time.monotonic() - begin < attack.seconds + 10
    verdict = "accepted" if isinstance(got, Program) else "compile_error"
    assert verdict in attack.expected, (attack.file.stem, got.diagnostics)
    if isinstance(got, CompileFailure):
        assert any(diagnostic.severity == "error" for diagnostic in got.diagnostics)
    said = "\n".join(f"{diagnostic.message} {diagnostic.hint}" for diagnostic in got.diagnostics)
    assert re.search(attack.fields.get("says", ""), said), (attack.file.stem, said)
    # What the compiler's log quotes goes into reports.
    assert SECRET not in said
    assert "root:x:0:0" not in said
    assert len(said) < 50_000
    if isinstance(got, Program):
        assert SECRET.encode() not in got.shared_object
        assert all(diagnostic.severity != "error" for diagnostic in got.diagnostics)


@needs_nvcc
@needs_sandbox
def test_nothing_is_left_behind(secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    attempt(read_attack(FOLDER / "huge_device_array.cu"), secret)
    assert sorted(tmp_path.iterdir()) == [secret]
    compile_solve(SOLVE, "next.cu", sandbox=Sandbox.find())
