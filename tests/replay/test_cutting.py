"""One warp of a trace, as an explanation plays it."""

import numpy as np
from boards import traces

from grader.replay.cutting import one_warp
from grader.replay.model import SPACES


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
