"""Machines to install on: which CuPys are there, which GPUs, which driver."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.machine.gpus import Gpu
from tests.played_gpus import install_gpus

Capability = tuple[int, int]


def make_gpu(driver: str, capability: Capability, index: int = 0) -> Gpu:
    return Gpu(index, f"GPU-{index}", "NVIDIA Sample", driver, capability, 8 << 30)


@dataclass
class Machine:
    """What kgrade sees of a machine. `cupy` are the majors of the CuPys that are installed."""

    cupy: tuple[int, ...] = ()
    gpus: list[Gpu] = field(default_factory=list)

    def has(self, *cupy: int) -> None:
        self.cupy = cupy

    def with_gpus(self, driver: str, *capabilities: Capability) -> None:
        self.gpus[:] = [make_gpu(driver, capability, index) for index, capability in enumerate(capabilities)]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    real = importlib.metadata.distribution

    def distribution(name: str) -> importlib.metadata.Distribution:
        if not name.startswith("cupy"):
            return real(name)
        if name not in {f"cupy-cuda{major}x" for major in made.cupy}:
            raise importlib.metadata.PackageNotFoundError(name)
        return Installed("14.2.0")

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    install_gpus(monkeypatch, made.gpus)
    return made


class Installed(importlib.metadata.Distribution):
    """A distribution of which only the version is known."""

    def __init__(self, version: str) -> None:
        self._version = version

    @property
    def version(self) -> str:
        return self._version

    def read_text(self, filename: str) -> None:
        return None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        raise FileNotFoundError(path)


Smi = Callable[..., Path]


@pytest.fixture
def nvidia_smi(tmp_path: Path) -> Smi:
    """Makes an nvidia-smi that answers with these lines, and gives the folder for PATH.

    `knows_capability=False` is one of before 2022, which refuses to be asked for it; `code` is its exit status.
    """

    def make(*lines: str, knows_capability: bool = True, code: int = 0) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        script = ["#!/bin/sh"]
        if not knows_capability:
            refuse = """echo 'Field "compute_cap" is not a valid field to query.'; exit 2"""
            script.append(f'case "$*" in *compute_cap*) {refuse};; esac')
        script += [f"echo '{line}'" for line in lines]
        program = folder / "nvidia-smi"
        program.write_text("\n".join([*script, f"exit {code}", ""]))
        program.chmod(0o755)
        return folder

    return make
