"""A grading's processes are forked from templates in all tests, as in a worker; none of them fails to start."""

from __future__ import annotations

import pytest

from grader.compile import reading
from grader.core.verdict import LanguageName
from grader.plan.scripts.process import MODULES
from grader.plan.scripts.process import confinement_of as confinement_of_scripts
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
