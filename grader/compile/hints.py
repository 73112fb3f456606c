"""Hints for compile errors: a table of common mistakes with advice.

A row is a pattern for the compiler's message and its hint. To add advice, add a row.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from grader.compile.compiler import TARGET
from grader.compile.facts import Facts
from grader.core.report import Diagnostic
from grader.machine.cuda_packages import cutlass_command, install_command

_WORD = re.compile(r"[A-Za-z_]\w*")
_LONGEST_WORD, _MOST_WORDS = 60, 2000
"""Limits on the words of a source that are compared with a misspelt one; a comparison is quadratic in their length."""
_FUNCTION_HEAD = re.compile(r"\s*(__global__|__device__|extern|static|template|void|int|float)\b[^;=]*\)\s*\{")

BUILTINS = (
    *("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"),
    *("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block", "__syncthreads_count"),
    *(
        "__shared__",
        "__device__",
        "__global__",
        "__constant__",
        "__restrict__",
        "__forceinline__",
        "__host__",
    ),
    *(
        "__shfl_sync",
        "__shfl_up_sync",
        "__shfl_down_sync",
        "__shfl_xor_sync",
        "__ballot_sync",
        "__activemask",
    ),
    *(
        "__all_sync",
        "__any_sync",
        "__popc",
        "__clz",
        "__ffs",
        "__brev",
        "__ldg",
        "__fdividef",
        "__expf",
        "__logf",
    ),
    *("atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicExch", "atomicCAS", "atomicAnd", "atomicOr"),
    *("expf", "exp", "logf", "sqrtf", "rsqrtf", "fabsf", "fmaxf", "fminf", "fmaf", "powf", "tanhf", "printf"),
    *(
        "float2",
        "float4",
        "int2",
        "int4",
        "dim3",
        "make_float4",
        "make_float2",
        "size_t",
        "unsigned",
        "float",
    ),
)

_REMOVED = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__all", "__any")

_HEADER_OF = {
    **dict.fromkeys(("half", "half2", "__half", "__half2", "__float2half", "__half2float"), "<cuda_fp16.h>"),
    **dict.fromkeys(("__nv_bfloat16", "__nv_bfloat162", "__float2bfloat16"), "<cuda_bf16.h>"),
    **dict.fromkeys(("FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_MIN", "DBL_EPSILON"), "<float.h>"),
    **dict.fromkeys(("uint8_t", "uint16_t", "uint32_t", "uint64_t", "SIZE_MAX", "INT32_MAX"), "<stdint.h>"),
    **dict.fromkeys(("CUDART_INF_F", "CUDART_INF", "CUDART_NAN_F", "CUDART_PI_F"), "<math_constants.h>"),
    **dict.fromkeys(("cooperative_groups", "cg"), "<cooperative_groups.h>"),
    **dict.fromkeys(("wmma", "nvcuda"), "<mma.h>"),
    "cub": "<cub/cub.cuh>",
}

_HOST_CODE = "This is host code. kgrade allocates, copies and launches by itself: submit the kernel alone."


@dataclass(frozen=True)
class Context:
    """The input of a hint: the compiled text, the facts about the submission, and the diagnostic."""

    source: str
    facts: Facts
    diagnostic: Diagnostic

    @cached_property
    def line(self) -> str:
        lines = self.source.split("\n")
        number = self.diagnostic.line
        return lines[number - 1] if number and number <= len(lines) else ""

    @cached_property
    def words(self) -> tuple[str, ...]:
        return _words_of(self.source)


@lru_cache(maxsize=1)
def _words_of(source: str) -> tuple[str, ...]:
    """The first words of a text, as candidates for a misspelt one."""
    words = dict.fromkeys(match[0] for match in _WORD.finditer(source) if len(match[0]) <= _LONGEST_WORD)
    return tuple(words)[:_MOST_WORDS]


Hint = Callable[[re.Match[str], Context], str]


def add_hints(diagnostics: Iterable[Diagnostic], source: str, facts: Facts) -> tuple[Diagnostic, ...]:
    """Returns the diagnostics with a hint added to each error that has a row and no hint yet."""
    return tuple(
        replace(d, hint=find_hint(Context(source, facts, d))) if d.severity == "error" and not d.hint else d
        for d in diagnostics
    )


def find_hint(context: Context) -> str:
    for pattern, hint in HINTS:
        match = re.search(pattern, context.diagnostic.message)
        if match:
            text = hint if isinstance(hint, str) else hint(match, context)
            if text:
                return text
    return ""


def _undefined(match: re.Match[str], context: Context) -> str:
    name = match[1]
    if any(f.name == name and f.space == "host" for f in context.facts.functions):
        return f"{name}() is a host function; write __device__ before it and a kernel can call it."
    if any(v.name == name for v in context.facts.host_variables):
        return f"{name} is a host variable; a kernel sees #define, const, __constant__ and __device__ ones."
    if name in _REMOVED:
        return f"{name}() was removed from CUDA: use {name}_sync() with a mask, such as 0xffffffff."
    if name in _HEADER_OF:
        return f"Add #include {_HEADER_OF[name]}."
    if re.match(r"(cuda|cu|curand|cublas)[A-Z]", name):
        return _HOST_CODE
    return _did_you_mean(name, (*BUILTINS, *(word for word in context.words if word != name)))


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    names = tuple(dict.fromkeys(known))
    same = [word for word in names if word.lower() == name.lower() and word != name]
    # Short names are too similar: i is no misspelt j.
    near = same or (difflib.get_close_matches(name, names, n=1, cutoff=0.8) if 3 < len(name) <= _LONGEST_WORD else [])
    return f"Did you mean {near[0]}?" if near else ""


def _missing_semicolon(match: re.Match[str], context: Context) -> str:
    number, column = context.diagnostic.line, context.diagnostic.column
    if number is None or column is None:
        return ""
    if _FUNCTION_HEAD.match(context.line):
        return "Does a } lack before this line? A function seems to begin inside the one before."
    if context.line[: column - 1].strip():
        return "The statement before the marked place lacks its ; at the end."
    before = context.source.split("\n")[: number - 1]
    line = next((i for i in range(len(before), 0, -1) if before[i - 1].strip()), None)
    return f"Line {line} lacks its ; at the end." if line else ""


def _no_member(match: re.Match[str], context: Context) -> str:
    kind, name = match[1], match[2]
    if kind in ("uint3", "dim3"):
        return "threadIdx, blockIdx, blockDim and gridDim have the members x, y and z."
    return _did_you_mean(name, context.words)


def _std_member(match: re.Match[str], context: Context) -> str:
    name = match[1]
    if name in ("min", "max", "swap"):
        return f"Add #include <algorithm>, or write {name}() without std:: for CUDA's own."
    if name == "numeric_limits":
        return "Add #include <limits>."
    return f"std::{name} is not for device code; a kernel can't use it."


def _not_constant(match: re.Match[str], context: Context) -> str:
    if "__shared__" in context.line:
        return (
            "The size of a __shared__ array has to be known when compiling: "
            "use a #define or constexpr, or extern __shared__ where the launch passes a size."
        )
    return "Only #define, constexpr, const with a constant value and template parameters are constants here."


def _strange_character(match: re.Match[str], context: Context) -> str:
    strange = next((c for c in context.line if ord(c) > 127), None)
    if strange is None:
        return ""
    name = unicodedata.name(strange, "unnamed character").lower()
    return f"The line contains U+{ord(strange):04X} ({name}); code has to be plain ASCII, comments need not."


def _no_file(match: re.Match[str], context: Context) -> str:
    name = match[1]
    if re.match(r"(cuda|cub|thrust|cooperative_groups|mma|nv|crt)\b|cuda_", name):
        return f"CUDA's headers are missing or lack this one: {install_command()}"
    if re.match(r"cute/|cutlass/", name):
        return f"CuTe's and CUTLASS's headers are missing or lack this one: {cutlass_command()}"
    if re.match(r"curand|cublas|helper_", name):
        return "Only CUDA's own headers (cuda_fp16.h, cooperative_groups.h, cub, …) can be included."
    if f'"{name}"' in context.line:
        return f"A submission is one file: paste what it needs of {name} into it."
    return "Device code can include CUDA's own headers and the common ones of C and C++. Try without this line."


def _index_of_float(match: re.Match[str], context: Context) -> str:
    if context.line.count("[") < 2:
        return ""
    return "The arrays are one-dimensional: write A[row * columns + column] for A[row][column]."


def _needs_member(match: re.Match[str], context: Context) -> str:
    if "dim3" in match.string or "uint3" in match.string:
        return "threadIdx, blockIdx, blockDim and gridDim are triples: add .x, .y or .z."
    return ""


HINTS: tuple[tuple[str, str | Hint], ...] = (
    (
        r'not supported for this GPU architecture|no member "\w*cluster\w*"|requires \.target sm_\d+',
        "This needs a newer GPU. Without one kgrade compiles for compute capability "
        f"{TARGET[-2]}.{TARGET[-1]}, the emulator's.",
    ),
    (r'identifier "(\w+)" is undefined', _undefined),
    (r'name followed by "::" must be', "Add the #include that brings this namespace."),
    (r'expected a ";"', _missing_semicolon),
    (r'expected a "}"', "Every { needs its }: count them from the line that the note names."),
    (r'expected a "\)"', "Every ( needs its )."),
    (r"comment unclosed", "A comment that begins with /* ends with */."),
    (r"#endif for this directive is missing", "Every #if, #ifdef and #ifndef needs its #endif."),
    (r'class "(\w+)" has no member "(\w+)"', _no_member),
    (r'namespace "std" has no member "(\w+)"', _std_member),
    (
        r"must be a modifiable lvalue",
        "const data can't be written: inputs are read, results go to the output.",
    ),
    (r"must have a constant value", _not_constant),
    (
        r"must have a void return type",
        "A __global__ function returns nothing: its results go to the output array.",
    ),
    (r'cannot open source file "(.+)"', _no_file),
    (r"unrecognized token", _strange_character),
    (r"without execution space annotations|explicitly marked as a __host__", "Write __device__ before it."),
    (
        r"variable without memory space annotations",
        "Write __device__ or __constant__ before it, or make it a constexpr.",
    ),
    (
        r"dynamic initialization is not supported",
        "A variable in device memory starts with constants only: fill it in the kernel.",
    ),
    (r"pointer-to-object type but it has type", _index_of_float),
    (
        r'no operator ".+" matches|no suitable conversion function|argument of type "(const )?(dim3|uint3)"',
        _needs_member,
    ),
    (
        r"no instance of overloaded function \"atomic\w+\".*\(const ",
        "Atomics write, so their first argument must not point to const data.",
    ),
    (
        r"no instance of overloaded function \"atomic\w+\"",
        "Atomics take a pointer (&output[0]) and a value of the type that it points to.",
    ),
    (
        r"integral or unscoped enum type",
        "This operator takes whole numbers; for floats there are fmodf() and casts.",
    ),
    (r"excessive recursion at instantiation", "A template calls itself without an end, or too deeply."),
    (r"out of memory", "The compiler ran out of memory: templates or arrays in the source are too large."),
)
