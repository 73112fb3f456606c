"""One cache for all tests of a run: the recorder is built in ten seconds and used for milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plan.recorded import shared_cache


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)
