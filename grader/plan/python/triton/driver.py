"""Triton without a GPU: a driver of its own that writes launches down, and compiles no further than is needed."""

from __future__ import annotations

import hashlib
import re
import struct
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import compiler
from triton.compiler.code_generator import CodeGenerator
from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime import autotuner, cache
from triton.runtime import driver as active
from triton.runtime.errors import OutOfResources, PTXASError

from grader.plan.python.arrays import arguments_for
from grader.plan.python.driver import Argument, Memo
from grader.plan.python.tape import Tape

_SCALARS = {
    "i1": "<B",
    "i8": "<b",
    "u8": "<B",
    "i16": "<h",
    "u16": "<H",
    "i32": "<i",
    "u32": "<I",
    "i64": "<q",
    "u64": "<Q",
    "u1": "<B",
    "fp16": "<e",
    "fp32": "<f",
    "fp64": "<d",
}
"""How Triton's scalar types are packed. bf16 has no format of struct."""
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.([a-z])(\d+)\s+(?:\.ptr[^,\n)]*)?\s*(\w+)(?:\[(\d+)\])?")
_NEVER = [float("inf")] * 3
_FIRST_WITH_CLUSTERS = (9, 0)
"""The first compute capability that has them."""


class TritonDriver:
    """Triton's side of the recording process."""

    def __init__(self, memo: Memo) -> None:
        self._memo = memo

    def install(self, tape: Callable[[], Tape]) -> None:
        active.set_active(_RecordingDriver(tape))
        usual, machine_code = compiler.compile, CUDABackend.make_cubin

        def compile_once(src: Any, target: Any = None, options: Any = None, **more: Any) -> Any:
            words = [src.hash(), str(target), str(sorted((options or {}).items(), key=str)), str(tape().machine_code)]
            key = hashlib.sha256("\0".join(words).encode()).hexdigest()
            if key not in self._memo:
                if key not in self._memo.kept:
                    tape().compiling(str(getattr(getattr(src, "fn", None), "__name__", "a kernel")))
                    self._memo.keep(key, _packed(usual(src, target=target, options=options, **more)))
                # Also where it was compiled just now: a submission sees the same of it each time.
                self._memo[key] = _restored(src, key, self._memo.kept[key])
            return self._memo[key]

        def make_binary(self: Any, src: str, *more: Any) -> bytes:
            # The emulator executes PTX, which is needed beside a GPU's machine code as well.
            made: bytes = machine_code(self, src, *more) if tape().machine_code else b""
            text = src.encode()
            return struct.pack("<I", len(text)) + text + made

        # JITFunction takes its compiler from here when it is first launched.
        triton.compiler.compile = compile_once
        CUDABackend.make_cubin = make_binary
        # It reads half a gigabyte of libraries to tell one installation from another.
        for module in (cache, compiler):
            if hasattr(module, "triton_key"):
                module.triton_key = lambda: triton.__version__
        # The frames of its compiler tell the line of a mistake.
        compiler.filter_traceback = lambda error: None
        # Its own cache does not know whether there is machine code.
        triton.knobs.compilation.always_compile = True
        _take_clusters(tape)
        _tune(self._memo, tape)

    def call(self, module: ModuleType, arguments: list[Argument], tape: Tape) -> None:
        module.solve(*arguments_for(module, arguments, tape))

    def compile_failure(self, error: BaseException) -> tuple[str, int] | None:
        """The message and the line of an error of Triton's compiler; None for any other."""
        if isinstance(error, RuntimeError) and _in_compiler(error):
            return f"Triton's compiler fails: {error}", 0
        if not isinstance(error, triton.CompilationError):
            return None
        inner: Any = error
        line = _line_of(inner)
        # The innermost of a chain is in the function that was called.
        while isinstance(inner.__cause__, triton.CompilationError):
            inner = inner.__cause__
            line = _line_of(inner) or line
        origin = inner.__cause__ or inner.__context__
        said = str(origin) if origin is not None else inner.error_message or ""
        return next((one.strip() for one in said.splitlines() if one.strip()), "Triton refuses this function"), line


def _in_compiler(error: BaseException) -> bool:
    """Whether a pass of the compiler raised it, which knows no line."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is compiler.compile.__code__ for frame, _ in frames)


def _line_of(error: triton.CompilationError) -> int:
    """The line of the submission; 0 if the error is in a function of Triton's own."""
    line, step = 0, error.__traceback__
    while step is not None:
        generator = step.tb_frame.f_locals.get("self")
        if isinstance(generator, CodeGenerator):
            own = not generator.file_name.startswith(str(Path(triton.__file__).parent))
            line = generator.begin_line + getattr(error.node, "lineno", 0) if own else 0
        step = step.tb_next
    return line


def _packed(kernel: Any) -> bytes:
    """What `_restored` makes the compiled kernel from: its metadata and its code."""
    metadata = next(Path(path) for name, path in kernel.metadata_group.items() if name.endswith(".json"))
    text = metadata.read_bytes()
    return struct.pack("<I", len(text)) + text + bytes(kernel.kernel)


def _restored(src: Any, key: str, kept: bytes) -> Any:
    (length,) = struct.unpack_from("<I", kept)
    folder = Path.cwd() / "kept" / key
    folder.mkdir(parents=True, exist_ok=True)
    code = kept[4 + length :]
    files = {"kernel.json": kept[4 : 4 + length], "kernel.cubin": code, "kernel.ptx": _ptx_of(code).encode()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return compiler.CompiledKernel(src, {name: str(folder / name) for name in files}, key)


def _ptx_of(code: bytes) -> str:
    """The PTX that `make_binary` put before the machine code."""
    (length,) = struct.unpack_from("<I", code)
    return code[4 : 4 + length].decode()


class _Launcher:
    """One compiled kernel, whose launches go to the tape."""

    tape: Callable[[], Tape]

    def __init__(self, src: Any, metadata: Any) -> None:
        self._signature = src.signature
        self._metadata = metadata
        self._name = src.fn.__name__

    def __call__(
        self,
        x: int,
        y: int,
        z: int,
        stream: int,
        kernel: Any,
        packed: Any,
        launch: Any,
        enter: Any,
        leave: Any,
        *given: Any,
    ) -> None:
        if not x * y * z:
            return
        tape, metadata = self.tape(), self._metadata
        ptx, cubin = kernel
        sizes = parameter_bytes(ptx)
        values = list(_flatten(self._signature.values(), given))
        scratch = getattr(metadata, "global_scratch_size", 0)
        room = tape.allocate(scratch * x * y * z * metadata.num_ctas) if scratch else 0
        values += [struct.pack("<Q", room), struct.pack("<Q", 0)][: len(sizes) - len(values)]
        handle = tape.kernel(self._name, metadata.name, sizes, ptx, cubin)
        clusters = (metadata.num_ctas, 1, 1) if metadata.num_ctas > 1 else (0, 0, 0)
        tape.launch(
            handle,
            (x * metadata.num_ctas, y, z),
            (32 * metadata.num_warps, 1, 1),
            values,
            shared_bytes=metadata.shared,
            cluster=clusters,
            cooperative=bool(getattr(metadata, "launch_cooperative_grid", False)),
        )


class _Utils:
    """What Triton asks CUDA's driver about kernels and the device."""

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self._tape = tape

    def load_binary(self, name: str, kernel: Any, shared: int, device: int) -> tuple[int, Any, int, int, int]:
        ptx = _ptx_of(kernel)
        code = ptx, kernel[4 + len(ptx.encode()) :]
        return 0, code, 32, 0, self._tape().device.attributes[1]

    def unload_module(self, module: int) -> None:
        """Nothing was loaded."""

    def get_device_properties(self, device: int) -> Mapping[str, int]:
        known = self._tape().device.attributes
        return {
            "max_shared_mem": known.get(97, 0),
            "max_num_regs": known.get(12, 0),
            "multiprocessor_count": known.get(16, 0),
            "warpSize": 32,
            "sm_clock_rate": known.get(13, 0),
            "mem_clock_rate": known.get(36, 0),
            "mem_bus_width": known.get(37, 0),
        }


class _RecordingDriver(DriverBase):
    """Stands where Triton expects the driver of a GPU."""

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self._tape = tape
        self.utils = _Utils(tape)
        self.launcher_cls = type("Launcher", (_Launcher,), {"tape": staticmethod(tape)})

    @classmethod
    def is_active(cls) -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> GPUTarget:
        major, minor = self._tape().device.capability
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        """There is one."""

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        import torch

        return torch.cuda

    def get_benchmarker(self) -> Callable[..., list[float]]:
        return lambda call, quantiles=None, **more: [0.0] * 3

    def get_empty_cache_for_benchmark(self) -> Any:
        return None

    def clear_cache(self, cache: Any) -> None:
        """Nothing is timed here."""


def parameter_bytes(ptx: str) -> list[int]:
    """The size in bytes of each parameter of the text's only kernel."""
    entry = ptx[ptx.index(".entry") :]
    head = entry[entry.index("(") : entry.index(")")]
    return [int(bits) // 8 * int(count or 1) for _, _, bits, _, count in _PARAMETER.findall(head)]


def _flatten(types: Sequence[Any], values: Sequence[Any]) -> Any:
    """The bytes of each argument that is one of the compiled kernel: constants are compiled in."""
    for kind, value in zip(types, values, strict=True):
        if isinstance(kind, tuple):
            yield from _flatten(kind, value)
        elif kind == "constexpr":
            continue
        elif kind.startswith("*"):
            yield struct.pack("<Q", value.data_ptr() if hasattr(value, "data_ptr") else int(value or 0))
        elif kind == "bf16":
            yield struct.pack("<f", value)[2:]
        elif kind.startswith("tensordesc"):
            yield from _descriptor(value)
        else:
            yield struct.pack(_SCALARS[kind], value)


def _descriptor(value: Any) -> Any:
    """A tensor descriptor where the target has no tensor maps: its pointer, shape, strides and flags."""
    yield struct.pack("<Q", value.base.data_ptr())
    yield from (struct.pack("<q", number) for number in (*value.shape, *value.strides))
    yield struct.pack("<B", value.padding == "nan")
    if hasattr(value, "round_f32_to_tf32"):
        yield struct.pack("<B", bool(value.round_f32_to_tf32))
    yield from (struct.pack("<i", number) for number in value.shape)
    yield from (struct.pack("<q", number) for number in value.strides)


def _take_clusters(current: Callable[[], Tape]) -> None:
    """Lets programs of several blocks be of one where there are no clusters: what they compute is the same."""
    usual = CUDABackend.parse_options

    def parse_options(self: Any, opts: Mapping[str, Any]) -> Any:
        asked = opts.get("num_ctas") or 1
        if asked > 1 and current().device.capability < _FIRST_WITH_CLUSTERS:
            call = f"num_ctas={asked}"
            if current().machine_code:
                message = "a program of several blocks needs the clusters of compute capability 9.0"
                current().refuse(call, message, "launch with num_ctas=1, and more programs or more warps")
            current().note(f"{call} is taken as num_ctas=1 here: the emulator's GPU has no clusters")
            opts = {**opts, "num_ctas": 1}
        return usual(self, opts)

    CUDABackend.parse_options = parse_options


def _tune(memo: Memo, current: Callable[[], Tape]) -> None:
    """Lets an autotuner choose the fastest configuration where there is a GPU, else the first that the device has room
    for."""
    tuner = autotuner.Autotuner
    usual_run, usual_bench = tuner.run, tuner._bench

    def run(self: Any, *args: Any, **more: Any) -> Any:
        self.kgrade_chosen = False
        done = usual_run(self, *args, **more)
        if current().machine_code:
            current().note(f"{self.base_fn.__name__} is tuned to {self.best_config}")
        return done

    def bench(self: Any, *args: Any, config: Any, **meta: Any) -> list[float]:
        if not current().machine_code:
            return first_that_fits(self, *args, config=config, **meta)
        values = [str(self.nargs.get(name)) for name in self.keys]
        key = ("tuned", self.base_fn.__name__, str(config), *values)
        if key not in memo:
            # Also where the tuner was made with a way of timing of its own.
            self.do_bench = lambda call, quantiles=None: [1000 * current().time(call)] * 3
            memo[key] = usual_bench(self, *args, config=config, **meta)
        timed: list[float] = memo[key]
        return timed

    def first_that_fits(self: Any, *args: Any, config: Any, **meta: Any) -> list[float]:
        if self.kgrade_chosen:
            return _NEVER
        try:
            kernel = self.fn.run(*args, **{**meta, **config.all_kwargs(), "warmup": True})
            kernel._init_handles()
        except (OutOfResources, PTXASError, CompileTimeAssertionFailure):
            return _NEVER
        self.kgrade_chosen = True
        return [0.0] * 3

    tuner.run, tuner._bench = run, bench
