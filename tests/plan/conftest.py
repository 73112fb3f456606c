"""One cache for all tests of a run: the recorder is built in ten seconds and used for milliseconds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    # Workers of one run have a folder each inside the run's own.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "recording"
    folder.mkdir(exist_ok=True)
    return folder
