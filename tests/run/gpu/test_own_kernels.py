"""kgrade's own kernels compile for the oldest GPU that the installed CUDA knows, and for new ones. No GPU is needed."""

from __future__ import annotations

import pytest

from grader.machine.cuda_packages import DEFAULT, require_one
from grader.run.gpu import ceilings_child, instruments, philox, refill
from grader.run.gpu.device_code import compile_cubin

OLDEST = "".join(map(str, (require_one() or DEFAULT).capability))

SOURCES = {
    "refill": refill.SOURCE,
    "instruments": refill.SOURCE + instruments.SOURCE,
    "philox": philox.SOURCE,
    "ceilings": ceilings_child.SOURCE,
}


@pytest.mark.parametrize("capability", [OLDEST, "90", "120"])
@pytest.mark.parametrize("name", SOURCES)
def test_kgrades_own_kernels_compile(name: str, capability: str) -> None:
    assert compile_cubin(SOURCES[name], capability).startswith(b"\x7fELF")
