"""A grading's processes are forked from templates in all tests, as in a worker; none of them fails to start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.compile import reading
from grader.compile.program import Kernel, Program
from grader.core.verdict import Form, LanguageName
from grader.plan.scripts.process import MODULES
from grader.plan.scripts.process import confinement_of as confinement_of_scripts
from grader.run.emulator_runner import EmulatorRunner
from grader.run.head_start import COUNTER, EMULATOR
from grader.sandbox import Confinement, Profile, Sandbox
from grader.sandbox.children import Child
from grader.sandbox.template import template_of
from tests.sandbox.conftest import namespaces


def confinement_for(module: str, sandbox: Sandbox) -> Confinement:
    if module in (EMULATOR, COUNTER):
        return Confinement(sandbox, Profile.COMPUTE)
    found = (
        reading.confinement_of(sandbox)
        if module == reading.MODULE
        else confinement_of_scripts(sandbox, LanguageName.NUMBA)
    )
    assert found is not None
    return found


@pytest.mark.parametrize("module", [EMULATOR, COUNTER, reading.MODULE, MODULES[LanguageName.NUMBA]])
def test_a_process_is_forked_from_its_template(module: str) -> None:
    confinement = confinement_for(module, namespaces())
    template = template_of(module, confinement)
    assert template is not None
    with Child(module, confinement=confinement, scratch=()):
        # One that fails to start or to fork is dropped, and the process is started by itself.
        assert template_of(module, confinement) is template


ZIP = Path(__file__).parents[2] / "problems" / "zip"
PTX = """
.version 8.0
.target sm_89
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b16 %h<2>;
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    .shared .align 4 .b8 tile[64];
    ld.param.u64 %d1, [p];
    ld.global.{kind} {register}, [%d1];
    st.shared.{kind} [tile], {register};
    bar.sync 0;
    ld.shared.{kind} {register}, [tile];
    st.global.{kind} [%d1], {register};
    ret;
}}
"""
SKIPPED = """
.version 8.0
.target sm_89
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    .local .align 4 .b8 frame[4];
    ld.param.u64 %d1, [p];
    ld.local.u32 %r1, [frame];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $past;
    bar.sync 0;
$past:
    st.global.u32 [%d1], %r1;
    st.local.u32 [frame], %r1;
    ret;
}
"""


@pytest.mark.parametrize(("kind", "register"), [("u8", "%h1"), ("u16", "%h1"), ("u32", "%r1")])
def test_the_routines_of_usual_accesses_are_there_already(kind: str, register: str, tmp_path: Path) -> None:
    assert compiled_for(PTX.format(kind=kind, register=register), tmp_path) == 1


@pytest.mark.parametrize("debug", [False, True])
def test_so_are_those_of_skipped_barriers_and_of_debug_builds(debug: bool, tmp_path: Path) -> None:
    assert compiled_for(SKIPPED, tmp_path, debug) == 1


def compiled_for(image: str, tmp_path: Path, debug: bool = False) -> int:
    """How much a grading compiles of this image: one is the kernel alone."""
    runner = EmulatorRunner(ZIP, namespaces(), tmp_path)
    try:
        runner.load(Program(Form.KERNEL, "compute_89", image, (Kernel("k", "k", (8,)),), debug=debug))
    finally:
        runner.close()
    # What a grading compiles is kept.
    (kept,) = (tmp_path / "objects").iterdir()
    return len(json.loads(kept.read_text()))
