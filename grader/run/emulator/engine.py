"""Compiles LLVM IR for this processor, unless the object code is known already."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from grader import __version__
from grader.run.emulator.objects import Objects
from grader.run.emulator.routines import Routines

_LOCK = threading.Lock()


class InvalidIrError(ValueError):
    """LLVM rejects the translated code."""


@lru_cache(maxsize=2)
def _machine(level: int) -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=level,
        jit=True,
    )


@lru_cache(maxsize=1)
def _linker() -> Any:
    from llvmlite import binding

    return binding.create_lljit_compiler(_machine(CODEGEN_LEVEL))


# LLVM's code generator from 0 to 3. Routines are compiled once for all kernels.
CODEGEN_LEVEL = 1
QUICK_LEVEL = 0


@lru_cache(maxsize=1)
def has_masked_stores() -> bool:
    """Returns whether a masked store is a single instruction on this processor."""
    from llvmlite import binding

    return bool(binding.get_host_cpu_features().get("avx512f"))


@cache
def _versions() -> tuple[str, ...]:
    """Returns what the code of any text depends on: kgrade, LLVM, this processor."""
    import llvmlite
    from llvmlite import binding

    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return (__version__, llvmlite.__version__, *processor)


def key_of(text: str, level: int = CODEGEN_LEVEL) -> str:
    """Returns the key of the object code of a text on this processor."""
    return hashlib.sha256("\0".join((*_versions(), str(level), text)).encode()).hexdigest()


def _compile(ir: str, level: int) -> bytes:
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
    builder = binding.create_pass_builder(_machine(level), binding.create_pipeline_tuning_options(speed_level=1))
    passes.run(module, builder)
    return bytes(_machine(level).emit_object(module))


def _link(data: bytes, entry: str, symbols: Mapping[str, int]) -> Any:
    """Returns what keeps the code in memory and knows the address of `entry`."""
    from llvmlite import binding

    builder = binding.JITLibraryBuilder().add_object_img(data).add_current_process().export_symbol(entry)
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    return builder.link(_linker(), f"kgrade.{next(_COUNTER)}")


class Native:
    """Machine code in memory; its functions live as long as this object.

    Its routines are compiled separately, and linked once for all modules of this process: most of LLVM's time for a
    kernel goes into routines that all kernels share. At QUICK_LEVEL compiling takes less time and the code is slower;
    `level` is the kernel's own, `routine_level` its routines'. Raises InvalidIrError.
    """

    def __init__(
        self, ir: str, entry: str, objects: Objects, level: int = CODEGEN_LEVEL, routine_level: int = CODEGEN_LEVEL
    ) -> None:
        def link_routine(ir: str, name: str, symbols: Mapping[str, int]) -> Any:
            return _link(_object(ir, objects, routine_level), name, symbols)

        with _LOCK:
            kernel, symbols = _routines(routine_level).split(ir, link_routine)
            self._tracker = _link(_object(kernel, objects, level), entry, symbols)
            self.address: int = self._tracker[entry]


def _object(ir: str, objects: Objects, level: int) -> bytes:
    key = key_of(ir, level)
    data = objects.find(key)
    if data is None:
        data = _compile(ir, level)
        objects.add(key, data)
    return data


@cache
def _routines(level: int) -> Routines:
    """Returns the routines of this process, which keeps them until it ends."""
    return Routines()


_COUNTER = iter(range(1 << 62))
