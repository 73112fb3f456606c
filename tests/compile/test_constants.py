"""Launch constants: what a submission may write for TILE, and what is said where it can't be used."""

from __future__ import annotations

import pytest

from grader.core.report import Diagnostic
from tests.compile.samples import KERNEL, build, refusal

DEFAULTS = {"TILE": 16, "BLOCK": 256}


@pytest.mark.parametrize(
    ("text", "tile"),
    [
        ("", 16),
        ("#define TILE 32\n", 32),
        ("#define TILE (1 << 3) // eight\n", 8),
        ("#define HALF 12\n#define TILE (HALF * 2)\n", 24),
        ("#define TILE 8u\n", 8),
        ("#define TILE sizeof(float4)\n", 16),
        ("#define TILE warp_size\nconstexpr int warp_size = 32;\n", 32),
        ("__device__ constexpr int square(int x) { return x * x; }\n#define TILE square(4)\n", 16),
        ("#define TILE 4\n#undef TILE\n#define TILE 5\n", 5),
        ("#define TILE 4\n#undef TILE\n", 16),
        ("#ifndef TILE\n#define TILE 7\n#endif\n", 7),
        ("#if 0\n#define TILE 7\n#endif\n", 16),
        ("// #define TILE 7\n", 16),
        ("constexpr int TILE = 32;\n", 32),
        ("static const unsigned TILE = 33;\n", 33),
        ("enum { TILE = 34 };\n", 34),
        ("namespace { const int TILE = 35; }\n", 35),
        ("template <int TILE> __device__ int f() { return TILE; }\n", 16),
    ],
)
def test_the_submissions_own_value_is_used(text: str, tile: int) -> None:
    program = build(text + KERNEL, DEFAULTS)
    assert program.constants == {"TILE": tile, "BLOCK": 256}
    assert not [d for d in program.diagnostics if d.severity != "warning"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("#define TILE blockDim.x", "blockDim.x"),
        ("#define TILE", "nothing"),
        ("#define TILE 2.5", "2.5"),
        ("#define TILE SIZE", "SIZE"),
        ("#define TILE(x) x", "a macro with parameters"),
        ("__device__ int n;\n#define TILE n", "n"),
        ("#define TILE 1 / 0", "1 / 0"),
    ],
)
def test_a_define_that_is_no_number_is_an_error_of_its_line(text: str, value: str) -> None:
    message = f"TILE is defined as {value}, which is not a whole number known when compiling"
    hint = "The launch uses TILE. For example: #define TILE 16"
    line = text.count("\n") + 1
    assert refusal(f"{text}\n{KERNEL}", DEFAULTS).diagnostics == (Diagnostic("error", message, line, hint=hint),)


@pytest.mark.parametrize("text", ["\n#define TILE {}\n", "\nconstexpr long TILE = {};\n"])
@pytest.mark.parametrize("value", [0, -4, 2**31])
def test_a_value_that_no_launch_can_have(text: str, value: int) -> None:
    message = f"TILE is {value}; a launch constant is between 1 and 2147483647"
    expected = Diagnostic("error", message, 2, hint="For example: #define TILE 16")
    assert refusal(text.format(value) + KERNEL, DEFAULTS).diagnostics == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "__device__ int TILE;",
        "struct TILE {};",
        "__device__ void TILE() {}",
        "namespace { __device__ int TILE; }",
    ],
)
def test_a_name_for_something_else_is_noted(text: str) -> None:
    program = build(f"// TILE\n{text}\n{KERNEL}", DEFAULTS)
    assert program.constants["TILE"] == 16
    (note,) = [d for d in program.diagnostics if d.severity == "note"]
    assert note.message == "TILE is not a constant here, so the launch uses 16"
    assert note.line == 2


def test_a_wrong_constant_and_a_wrong_kernel_are_told_together() -> None:
    failure = refusal("#define TILE x\n#define BLOCK y\n" + KERNEL.replace("int n", "long n"), DEFAULTS)
    assert [d.line for d in failure.diagnostics] == [3, 1, 2]
