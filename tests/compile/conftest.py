"""NVRTC runs in these tests' own process: where it runs when it compiles a submission."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def root_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
