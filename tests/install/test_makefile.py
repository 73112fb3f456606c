"""The Makefile installs again when the choice of CUDA changes, and only then; no package is really installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.machine.cuda_packages import CUTLASS

ROOT = Path(__file__).parents[2]
FROZEN = "cupy-cuda13x==14.2.0\ncuda-toolkit==13.0.3\nnvidia-cublas==13.1\nnvidia-ml-py==13.6\nnumpy==2.4\n"

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A virtual environment whose pip writes down what it is told."""
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    (tmp_path / "frozen").write_text(FROZEN)
    pip = f'if [ "$2" = freeze ]; then cat {tmp_path}/frozen; else echo "$@" >>{tmp_path}/told; fi'
    for name, text in {"python": f'exec {sys.executable} "$@"', "pip": pip}.items():
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    return folder


def told(venv: Path, stamp: str, *more: str) -> list[str]:
    """What pip is told by one call of make."""
    log = venv.parent / "told"
    log.write_text("")
    # A variable of this name in the shell means something else, and the calling make's flags are its own.
    environment = {**os.environ, "CUDA": "/usr/local/cuda", "MAKEFLAGS": ""}
    command = ["make", "--silent", f"VENV={venv}", str(venv / stamp), *more]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return [line.removeprefix("--disable-pip-version-check ") for line in log.read_text().splitlines()]


UNINSTALL = "uninstall --quiet --yes cupy-cuda13x cuda-toolkit nvidia-cublas"


def test_a_changed_choice_replaces_the_packages(venv: Path) -> None:
    assert told(venv, "installed", "CUDA=13")[-1].startswith("install --quiet --editable .[cuda13")
    assert told(venv, "installed", "CUDA=13") == []
    uninstall, install = told(venv, "installed", "CUDA=12")
    assert uninstall == UNINSTALL
    assert install.startswith("install --quiet --editable .[cuda12")
    assert told(venv, "installed", "CUDA=12") == []


def test_the_tests_need_more_than_the_demo(venv: Path) -> None:
    told(venv, "installed", "CUDA=12")
    install, torch, cutlass, languages = told(venv, "installed-dev", "CUDA=12")
    assert install.startswith("install --quiet --editable .[dev,cuda12")
    assert torch == "install --quiet --index-url https://download.pytorch.org/whl/cpu torch==2.13.0"
    assert cutlass == f"install --quiet --no-deps {CUTLASS}"
    assert languages == "install --quiet --editable .[triton,cutile,cute] numba-cuda[cu12]==0.30.*"
    assert told(venv, "installed", "CUDA=12") == []


def test_without_pytorch_cutlass_or_triton_the_tests_are_installed_all_the_same(venv: Path) -> None:
    pip = venv / "bin" / "pip"
    pip.write_text(pip.read_text() + 'case "$*" in *torch*|*cutlass*|*triton*) exit 1;; esac\n')
    *_, torch, cutlass, languages = told(venv, "installed-dev", "CUDA=12")
    assert torch.endswith("torch==2.13.0") and cutlass.endswith(CUTLASS) and "triton" in languages
    assert told(venv, "installed-dev", "CUDA=12") == []


def test_a_choice_that_is_none_ends_before_anything_is_installed(venv: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        told(venv, "installed", "CUDA=11")
    assert b"CUDA=11: expected 13 or 12" in caught.value.stderr
    assert (venv.parent / "told").read_text() == ""
