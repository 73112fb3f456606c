"""scripts/cuda-extra on machines of every kind, by an nvidia-smi that only prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Smi

SCRIPT = Path(__file__).parents[2] / "scripts" / "cuda-extra"


def call(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # -I: Python's own library only, as where nothing is installed yet.
    command = [sys.executable, "-I", "-S", str(SCRIPT), *arguments]
    return subprocess.run(command, env={"PATH": str(path)}, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("lines", "extra"),
    [
        (["580.65.06, 9.0"], "cuda13-gpu"),
        (["580.65.06, 7.5", "580.65.06, 12.0"], "cuda13-gpu"),
        (["580.65.06, 9.0", "580.65.06, 6.1"], "cuda12-gpu"),
        (["535.104.05, 8.6"], "cuda12-gpu"),
        (["525.60.13, 5.2"], "cuda12-gpu"),
        (["580.65.06, [N/A]"], "cuda13-gpu"),
    ],
)
def test_the_extra_follows_driver_and_gpus(nvidia_smi: Smi, lines: list[str], extra: str) -> None:
    done = call(nvidia_smi(*lines))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{extra}\n", "")


def test_without_a_gpu_it_is_cuda_13(tmp_path: Path) -> None:
    done = call(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "cuda13\n", "")


def test_a_driver_that_is_too_old_is_named_and_the_emulator_served(nvidia_smi: Smi) -> None:
    for folder in (nvidia_smi("470.256.02, 7.5"), nvidia_smi("470.256.02", knows_capability=False)):
        done = call(folder)
        assert (done.returncode, done.stdout) == (0, "cuda13\n")
        assert "driver 470.256.02 is too old" in done.stderr
        assert "install NVIDIA's driver 580" in done.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 9),
        ("No devices were found", 6),
        ("No devices were found", 0),
    ],
)
def test_an_nvidia_smi_without_an_answer_is_told(nvidia_smi: Smi, line: str, code: int) -> None:
    done = call(nvidia_smi(line, code=code))
    assert (done.returncode, done.stdout) == (0, "cuda13\n")
    assert "shows no GPU" in done.stderr


def test_a_number_takes_that_cuda(nvidia_smi: Smi, tmp_path: Path) -> None:
    assert call(tmp_path, "12").stdout == "cuda12\n"
    assert call(nvidia_smi("580.65.06, 9.0"), "12").stdout == "cuda12-gpu\n"
    done = call(nvidia_smi("535.104.05, 8.6"), "13")
    assert done.stdout == "cuda13-gpu\n"
    assert "CUDA 13 needs driver 580 or newer, and this machine's is 535.104.05" in done.stderr


def test_another_number_is_refused(tmp_path: Path) -> None:
    done = call(tmp_path, "11")
    assert (done.returncode, done.stdout) == (2, "")
    assert "CUDA=11: expected 13 or 12" in done.stderr
