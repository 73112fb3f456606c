"""What was compiled before: results by a hash of all that they depend on, one small file each.

A cache that can't be read or written is no error: then everything is compiled again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.compile.program import Kernel, Program
from grader.report import Diagnostic
from grader.verdict import Form
from grader.whole_files import write_whole

FORMAT = 5
"""Goes into every key: raise it when the same source compiles to something else, or is stored differently."""

KEEP = 500
KEEP_BYTES = 1 << 30
"""Of all results together: a library of templates may have some megabytes."""


def make_key(parts: Mapping[str, Any]) -> str:
    text = json.dumps([FORMAT, parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Cache:
    """A folder of results. `folder` None remembers nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(self, key: str) -> Program | None:
        """What was stored under this key. A damaged file counts as absent; the next store replaces it."""
        if self._folder is None:
            return None
        try:
            data = json.loads((self._folder / f"{key}.json").read_bytes())
            if data["key"] != key:
                return None
            return _to_program(data["program"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def store(self, key: str, program: Program) -> None:
        if self._folder is None:
            return
        plain = {
            "constants": dict(program.constants),
            "cubin": base64.b64encode(program.cubin).decode(),
            "shared_object": base64.b64encode(program.shared_object).decode(),
            "spills": dict(program.spills),
        }
        data = {"key": key, "program": {**asdict(program), **plain}}
        with suppress(OSError):
            write_whole(self._folder / f"{key}.json", json.dumps(data).encode())
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        assert self._folder is not None
        files = [(file, file.stat()) for file in self._folder.glob("*.json")]
        if len(files) <= KEEP and sum(status.st_size for _, status in files) <= KEEP_BYTES:
            return
        files.sort(key=lambda pair: pair[1].st_mtime, reverse=True)
        kept_bytes = 0
        for number, (file, status) in enumerate(files, 1):
            kept_bytes += status.st_size
            if number > KEEP // 2 or kept_bytes > KEEP_BYTES // 2:
                file.unlink(missing_ok=True)


def _to_program(data: Mapping[str, Any]) -> Program:
    return Program(
        form=Form(data["form"]),
        target=str(data["target"]),
        image=str(data["image"]),
        kernels=tuple(Kernel(k["name"], k["symbol"], tuple(k["parameter_bytes"])) for k in data["kernels"]),
        constants={str(name): int(value) for name, value in data["constants"].items()},
        diagnostics=tuple(Diagnostic(**diagnostic) for diagnostic in data["diagnostics"]),
        cubin=base64.b64decode(data["cubin"], validate=True),
        shared_object=base64.b64decode(data["shared_object"], validate=True),
        spills={str(symbol): int(size) for symbol, size in data["spills"].items()},
    )
