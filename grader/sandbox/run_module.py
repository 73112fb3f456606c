"""Runs a module of kgrade if the folder containing the package can't be listed: `python run_module.py MODULE …`.

In a checkout that folder holds problems, submissions and secrets, so it is closed to confined processes.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path


def main() -> None:
    package = Path(__file__).resolve().parents[1]
    # The script's own folder, whose modules are not top-level modules.
    del sys.path[0]
    spec = importlib.util.spec_from_file_location(
        package.name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[package.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
