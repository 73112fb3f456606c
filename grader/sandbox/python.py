"""The files that kgrade's own Python processes need in a sandbox: Python, the packages, kgrade without its problems.

They are found from this process's search path; nothing is imported.
"""

from __future__ import annotations

import functools
import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder `grader`."""


@functools.cache
def python_places() -> tuple[Path, ...]:
    """Files and folders that `python -m grader.…` reads on this machine."""
    found = [Path(path) for path in _installation()]
    found += [Path(folder) for folder in sys.path if _holds_packages(folder)]
    # In a checkout, a submission must not see what is beside the package.
    found.append(PACKAGE)
    # Both links and their targets are included.
    found += [path.resolve() for path in found]
    kept = [path for path in dict.fromkeys(found) if path.exists()]
    return tuple(path for path in kept if not any(other in path.parents for other in kept))


def python_command(module: str) -> list[str]:
    """The command that runs one of kgrade's modules in such a process."""
    return [sys.executable, str(PACKAGE / "sandbox" / "run_module.py"), module]


def search_path() -> list[str]:
    """PYTHONPATH for such a process, so that it finds the same packages as this one."""
    # site-packages before the standard library would let old backports shadow its modules.
    return [folder for folder in sys.path if _holds_packages(folder) and not _is_site(folder)]


def _installation() -> Iterator[str]:
    """Yields interpreter, standard library and packages, also of the installation below a virtual environment.

    Not whole prefixes, because people keep their own files in a virtual environment's folder.
    """
    for prefix in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)):
        yield from (f"{prefix}/{name}" for name in ("pyvenv.cfg", "bin", "lib", "lib64"))
    yield from (path for name, path in sysconfig.get_paths().items() if path and name.endswith("lib"))


def _holds_packages(folder: str) -> bool:
    """Whether an installer put packages there; other folders of the search path are private and not shown."""
    return bool(folder) and next(Path(folder).glob("*.dist-info"), None) is not None


def _is_site(folder: str) -> bool:
    return folder in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages())
