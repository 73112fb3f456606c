"""Machine code: what a compiled kernel disassembles to, and texts and files that no compiler writes."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.compile.compiler import Compiler
from grader.compile.toolkit import find_nvcc, find_toolkit
from grader.core.errors import JudgeError, ToolMissing
from grader.machine.cuda_packages import NVDISASM
from grader.sandbox import Sandbox
from grader.sass import NO_BARRIER, Instruction, MachineCode, disassemble
from grader.sass.assemble import assemble
from grader.sass.code import decode_control
from grader.sass.text import TextError, read_code, read_registers
from grader.sass.tool import find_nvdisasm
from tests.sass import samples
from tests.sass.samples import FILE, LOAD, OUT, SOURCE, SUM, TWICE, WIDE, cubin, disassembled


@pytest.fixture
def kernel() -> MachineCode:
    return samples.kernel()


def only(kernel: MachineCode, opcode: str) -> Instruction:
    (found,) = (one for one in kernel.code if one.opcode == opcode)
    return found


def test_instructions_have_their_source_lines(kernel: MachineCode) -> None:
    lines = {one.line: [code.name for code in one.code] for one in kernel.by_line()}
    assert "LDG" in lines[LOAD] and "LDS" in lines[SUM] and "STG" in lines[OUT] and "DFMA" in lines[WIDE]
    # An inlined function's own line, not the line that calls it.
    assert lines[TWICE] == ["FADD"]


def test_registers_of_pairs_and_vectors_are_all_named(kernel: MachineCode) -> None:
    load = next(one for one in kernel.code if one.opcode.startswith("LDG.E.128"))
    first = int(load.operands[0][1:])
    assert load.writes == tuple(f"R{first + i}" for i in range(4))
    assert {file for name in load.reads for file in ("UR",) if name.startswith(file)} == {"UR"}
    fma = only(kernel, "DFMA")
    assert len(fma.writes) == 2 and len(fma.reads) >= 2
    assert 0 < load.live <= kernel.live <= kernel.facts.registers


def test_a_result_of_unknown_duration_is_waited_for_by_its_barrier(kernel: MachineCode) -> None:
    load = next(one for one in kernel.code if one.opcode == "LDS" and one.control.writes != NO_BARRIER)
    following = kernel.code[kernel.code.index(load) + 1 :]
    user = next(one for one in following if set(one.reads) & set(load.writes))
    assert load.control.writes in user.control.waited
    assert all(one.control.writes == NO_BARRIER for one in kernel.code if one.name == "FFMA")


def test_blocks_follow_one_another(kernel: MachineCode) -> None:
    starts = [block.start for block in kernel.blocks]
    assert [one for block in kernel.blocks for one in block.code] == list(kernel.code)
    # The loop ends in a jump back, which may also fall through.
    jump = next(i for i, block in enumerate(kernel.blocks) if min(block.after, default=i) <= i and len(block.after) > 1)
    assert kernel.blocks[jump].code[-1].targets[0] in starts
    assert kernel.blocks[-1].code[-1].name == "EXIT" and kernel.blocks[-1].after == ()


def test_control_codes_are_decoded_from_the_encoding() -> None:
    # As nvdisasm -hex shows them: IMAD.WIDE waits for barrier 0, LDG sets barrier 2, MUFU waits for it and sets 0.
    wide, load, root = (
        decode_control(high << 64) for high in (0x001FCA00078E0202, 0x000EA2000C1E1B00, 0x004E220000001C00)
    )
    assert (wide.waited, wide.stall, wide.writes) == ((0,), 5, NO_BARRIER)
    assert (load.writes, load.reads, load.stall) == (2, NO_BARRIER, 1)
    assert root.text == "B--2---:R-:W0:-:S01"


def test_disassembling_again_needs_no_process(tmp_path: Path) -> None:
    first = disassembled(tmp_path)
    (kept,) = (tmp_path / "sass").iterdir()
    before = kept.stat().st_ino
    assert disassembled(tmp_path) == first and kept.stat().st_ino == before
    kept.write_text('{"kernels": {"tiles": [[0, "", "EXIT", "", 0, "", [], "R999999", "", 0, 0]]}}')
    assert disassembled(tmp_path) == first


def test_what_was_compiled_to_ptx_is_assembled(tmp_path: Path) -> None:
    ptx = Compiler(find_toolkit(), FILE).compile(SOURCE).ptx
    ptxas, sandbox = find_nvcc().root / "bin" / "ptxas", Sandbox.find()
    found = assemble(ptx, "sm_90a", ptxas, tmp_path, sandbox)
    assert "LDS" in {one.name for one in disassemble(found, FILE, tmp_path)["tiles"].code if one.line == SUM}
    assert assemble(ptx, "sm_90a", ptxas, tmp_path, Sandbox(None)) == found
    with pytest.raises(JudgeError, match="ptxas can't read this code") as refused:
        assemble(ptx.replace("ret;", "rat;"), "sm_90a", ptxas, tmp_path, sandbox)
    assert "rat" in refused.value.hint


def test_what_is_no_machine_code_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="can't be read"):
        disassemble(b"\x7fELF", FILE, tmp_path)
    broken = bytearray(cubin())
    # Another machine in the file's header: the judge's own reader does not look at it, and nvdisasm does.
    broken[18:20] = b"\x3e\x00"
    with pytest.raises(JudgeError, match="nvdisasm"):
        disassemble(bytes(broken), FILE, tmp_path)


def test_a_missing_disassembler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_nvdisasm(tmp_path).name == "nvdisasm"
    # Without NVIDIA's wheels, toolkits and programs.
    monkeypatch.setitem(sys.modules, "nvidia", ModuleType("nvidia"))
    sys.modules["nvidia"].__spec__ = ModuleSpec("nvidia", None)
    for name in ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing) as missing:
        find_nvdisasm(tmp_path)
    assert missing.value.hint == f"type: pip install '{NVDISASM}'"


CODE = """\t.section\t.text.k,"ax",@progbits
\t//## File "/a/b.h", line 3 inlined at "/tmp/k.cu", line 7
\t//## File "/tmp/k.cu", line 7
k:
        /*0000*/               @!P0 BRA `(.L_x_1) ;
\t//## File "/a/b.h", line 9
        /*0010*/                   BRX R2 -0x8a0   (*"BRANCH_TARGETS .L_x_1,k"*);
.L_x_1:
        /*0020*/                   NOP;
"""


def test_text_of_headers_belongs_to_the_line_that_they_were_inlined_into() -> None:
    section = read_code(CODE.splitlines(), "k.cu")["k"]
    assert [(row.line, row.inner) for row in section.rows] == [(7, "b.h:3"), (7, "b.h:9"), (7, "b.h:9")]
    assert section.labels == {"k": 0, ".L_x_1": 32}
    assert section.rows[0].jumps == [".L_x_1"] and section.rows[1].jumps == [".L_x_1", "k"]
    assert section.rows[1].operands == "R2 -0x8a0" and section.rows[2].operands == ""


@given(st.lists(st.sampled_from([*CODE.splitlines(), "  /*0000*/ NOP; // | 1 x |", "// | GPR |", "// | # 01 |"])))
def test_any_order_of_lines_is_read_or_refused(lines: list[str]) -> None:
    read_code(lines, "k.cu")
    with suppress(TextError):
        read_registers(lines)
