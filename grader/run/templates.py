"""Templates of the processes that read and run submissions, for programs that grade many one after another."""

from __future__ import annotations

from collections.abc import Mapping

from grader.compile import reading
from grader.core.paths import cache_folder
from grader.plan.scripts.process import MODULES, confinement_of
from grader.run.head_start import COUNTER, EMULATOR, RECORDING, SAMPLER
from grader.run.object_cache import COUNTING, SHARED, ObjectCache
from grader.sandbox import Confinement, Profile, Sandbox
from grader.sandbox.template import Part, Template, use_template


def use_templates(sandbox: Sandbox) -> None:
    """Forks such processes from now on, which takes milliseconds. Does nothing without bubblewrap."""
    compilers = reading.confinement_of(sandbox)
    if sandbox.program is None or compilers is None:
        return
    cache = ObjectCache(cache_folder() / "kernels")
    emulators = ((EMULATOR, SHARED), (RECORDING, SHARED), (COUNTER, COUNTING), (SAMPLER, COUNTING))
    parts = [_keeping(module, cache, key) for module, key in emulators]
    use_template(Template(Confinement(sandbox, Profile.COMPUTE), *parts))
    use_template(Template(compilers, Part(reading.MODULE)))
    for language, module in MODULES.items():
        scripts = confinement_of(sandbox, language)
        assert scripts is not None
        # Each starts with the first submission in its language.
        use_template(Template(scripts, Part(module)))


def _keeping(module: str, cache: ObjectCache, key: str) -> Part:
    """One of the emulator's modules, with the object code that is kept by `key`."""

    def keep(made: Mapping[str, str]) -> None:
        cache.add(key, made)

    return Part(module, lambda: {"objects": cache.load(key)}, keep)
