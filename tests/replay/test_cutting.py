"""Parts of a trace: one warp, as an explanation plays it, and what fits into a page."""

import numpy as np
from boards import traces

from grader.replay.cutting import one_warp, variables_of
from grader.replay.model import SPACES
from grader.replay.summary import FEW_VARIABLES, TOO_LARGE, summarize


def test_one_warps_steps_and_accesses_are_kept() -> None:
    whole = traces.race()
    cut = one_warp(whole, 1, 1000)
    assert len(cut) == int((whole.steps.warp == 1).sum()) and set(cut.steps.warp.tolist()) == {1}
    assert cut.steps.line.tolist() == whole.steps.line[whole.steps.warp == 1].tolist()
    for accesses in (cut.reads, cut.writes):
        assert set((accesses.thread // 32).tolist()) == {1}
        assert SPACES.index("variable") not in accesses.space
        assert np.all(np.diff(accesses.step) >= 0)
    # The store of the result is still in the line that stores it.
    assert cut.steps.line[cut.writes.step[cut.writes.space == SPACES.index("global")]].tolist() == [13] * 32
    assert cut.state_of(32, len(cut)) == "gone" and cut.state_of(32, 5) == "at work"


def test_only_the_first_steps_are_kept() -> None:
    cut = one_warp(traces.race(), 0, 6)
    assert len(cut) == 6 and cut.steps.line.tolist() == [5, 6, 7, 8, 9, 10]
    assert max(cut.reads.step) <= 5 and max(cut.waits.step) <= 5


def test_a_page_that_would_be_too_large_has_the_variables_of_the_threads_at_fault() -> None:
    whole = traces.race()
    part = variables_of(whole, [1])
    variables = SPACES.index("variable")
    assert set((part.writes.thread[part.writes.space == variables] // 32).tolist()) == {1}
    assert (part.writes.space != variables).sum() == (whole.writes.space != variables).sum()

    wrong = traces.wrong()
    full = summarize(wrong)
    small = summarize(wrong, largest=len(full.packed) - 1)
    assert full.remarks == wrong.remarks and small.remarks[-1] == FEW_VARIABLES.format(warps="warp 0")
    assert 0 < len(small.packed) < len(full.packed) and small.step == full.step
    assert summarize(whole, largest=1).remarks[-1] == TOO_LARGE.format(steps=len(whole))
    assert not summarize(whole, largest=1).packed
