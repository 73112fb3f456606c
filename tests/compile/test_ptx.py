"""Reading PTX: kernels, sizes of parameters, launch constants and the numbers of source files."""

from __future__ import annotations

import pytest

from grader.compile.program import Kernel
from grader.compile.ptx import constant_prefix, has_unnamed, number_first, plain_name, read_kernels, take_constants

PTX = """
.version 9.0
.target sm_89
.address_size 64
.global .align 8 .u64 kgrade_constant_TILE = 16;
.global .align 8 .u64 kgrade_constant_BLOCK = -9223372036854775808;
.global .align 8 .u64 kgrade_constant_ZERO;
.global .align 8 .u64 other = 3;
.func helper(.param .b32 helper_param_0) { ret; }
.visible .entry _Z3onePfi(
\t.param .u64 _Z3onePfi_param_0,
\t.param .u32 _Z3onePfi_param_1
)
{
\t.loc\t2 10 3
\t.loc\t1 5 3, function_name $L__info_string0, inlined_at 2 11 2
\tret;
}
.visible .entry none()
.maxntid 256, 1, 1
{
}
.entry two(
\t.param .align 16 .b8 two_param_0[48],
\t.param .u64 .ptr .global .align 4 two_param_1,
\t.param .f64 two_param_2,
\t.param .u8 two_param_3
)
{
}
\t.file\t1 "/usr/include/header.h"
\t.file\t2 "/mine.cu"
"""


def test_kernels_with_the_sizes_of_their_parameters() -> None:
    assert read_kernels(PTX) == (
        Kernel("one", "_Z3onePfi", (8, 4)),
        Kernel("none", "none", ()),
        Kernel("two", "two", (48, 8, 8, 1)),
    )


def test_constants_are_taken_out_of_the_text() -> None:
    text, values = take_constants(PTX.replace("kgrade_constant_", constant_prefix("source")), "source")
    assert values == {"TILE": 16, "BLOCK": -(2**63), "ZERO": 0}
    assert "kgrade" not in text
    assert ".global .align 8 .u64 other = 3;\n.func" in text


def test_the_submission_becomes_file_1() -> None:
    text = number_first(PTX, "mine.cu")
    assert '\t.file\t2 "/usr/include/header.h"\n\t.file\t1 "/mine.cu"' in text
    assert "\t.loc\t1 10 3\n" in text
    assert "\t.loc\t2 5 3, function_name $L__info_string0, inlined_at 1 11 2\n" in text
    assert number_first(text, "mine.cu") == text
    assert number_first(PTX, "unknown.cu") == PTX


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z10map_kernelPKfPfi", "map_kernel"),
        ("_ZL4nameiii", "name"),
        ("map_kernel", "map_kernel"),
        ("_ZN1n1kEv", "n::k"),
        ("_ZN1a1b1kILi3ELb1ELin4EEEvPf", "a::b::k<3, true, -4>"),
        ("_ZN1a1b1kIfEEvPT_", "_ZN1a1b1kIfEEvPT_"),
        ("_Z7genericIZ5solveEUlPfE_EvT_S0_", "generic"),
        ("_ZN36_GLOBAL__N__c4fda66f_4_k_cu_fcfa267f6hiddenEPf", "hidden"),
        ("_ZN1n1", "_ZN1n1"),
        ("_ZN1nplus", "_ZN1nplus"),
        ("_Z99short", "_Z99short"),
        ("_Zodd", "_Zodd"),
    ],
)
def test_names_out_of_symbols(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


UNNAMED = "_INTERNAL_d17182ca_4_s_cu_f8c95997"


@pytest.mark.parametrize(
    ("line", "known_to_host"),
    [
        (f".entry _ZN36{UNNAMED}1kEPf(", True),
        (f".visible .global .align 4 .u32 {UNNAMED}_count;", True),
        (f".const .align 4 .b8 {UNNAMED}_table[8];", True),
        (f".func (.param .b32 func_retval0) _ZN36{UNNAMED}14__shfl_up_syncEjiji(", False),
        (f"call.uni (retval0), _ZN36{UNNAMED}14__shfl_up_syncEjiji, (", False),
    ],
)
def test_unnamed_kernels_and_variables_are_told_from_functions(line: str, known_to_host: bool) -> None:
    assert has_unnamed(f"{PTX}{line}\n") is known_to_host
    assert not has_unnamed(PTX)
