"""Compiles LLVM IR for this processor, and keeps the object code in a cache by content."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader import __version__

_LOCK = threading.Lock()


class InvalidIrError(ValueError):
    """LLVM refuses the translated code."""


@lru_cache(maxsize=1)
def _machine() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=CODEGEN_LEVEL,
        jit=True,
    )


@lru_cache(maxsize=1)
def _linker() -> Any:
    from llvmlite import binding

    return binding.create_lljit_compiler(_machine())


# LLVM's code generator from 0 to 3; the instruction selector of level 0 would be several times slower at run time.
CODEGEN_LEVEL = 1


@lru_cache(maxsize=1)
def has_masked_stores() -> bool:
    """Whether a store under a mask is one instruction here."""
    from llvmlite import binding

    return bool(binding.get_host_cpu_features().get("avx512f"))


def _key(text: str) -> str:
    import llvmlite
    from llvmlite import binding

    parts = (
        __version__,
        llvmlite.__version__,
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
    )
    return hashlib.sha256("\0".join((*parts, text)).encode()).hexdigest()


def _compile(ir: str) -> bytes:
    from llvmlite import binding

    try:
        module = binding.parse_assembly(ir)
        module.verify()
    except RuntimeError as error:
        raise InvalidIrError(" ".join(str(error).split())) from error
    # The standard pipelines cost ten times as much and gain nothing here.
    passes = binding.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = binding.create_pass_builder(_machine(), binding.create_pipeline_tuning_options(speed_level=1))
    passes.run(module, builder)
    return bytes(_machine().emit_object(module))


def _store(path: Path, data: bytes) -> None:
    """Written beside and renamed, so that no reader sees half a file; a full disk only costs the cache."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        Path(file.name).replace(path)
    except OSError:
        return


class Native:
    """Machine code in memory; its functions live as long as this object."""

    def __init__(self, ir: str, entry: str, cache: Path | None, key: str | None = None) -> None:
        from llvmlite import binding

        path = cache / "objects" / f"{_key(key or ir)}.o" if cache else None
        with _LOCK:
            data = path.read_bytes() if path and path.exists() else b""
            if not data:
                data = _compile(ir)
                if path:
                    _store(path, data)
            name = f"kgrade.{next(_COUNTER)}"
            library = binding.JITLibraryBuilder().add_object_img(data).add_current_process().export_symbol(entry)
            self._tracker = library.link(_linker(), name)
            self.address: int = self._tracker[entry]


_COUNTER = iter(range(1 << 62))
