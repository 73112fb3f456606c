"""Problems with scalars, flags, computed sizes and several outputs, graded end to end on the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.judge.verify import Work, missing_for, missing_here, works_of

SET = Path(__file__).parent / "set"
WORKS = [work for folder in sorted(SET.iterdir()) for work in works_of(folder.name, folder)]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_worked_files_get_the_declared_verdict(work: Work) -> None:
    missing = missing_for(work, missing_here())
    if missing:
        pytest.skip(missing)
    outcome = work.verify()
    assert outcome.passed, f"{outcome.got}: {outcome.mismatch}"
