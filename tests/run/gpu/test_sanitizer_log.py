"""Reading memcheck's log: the samples of its manual, and texts that a submission could have put into it."""

from __future__ import annotations

import pytest

from grader.run.gpu.sanitizer_log import Allocation, Finding, Frame, read_log

OUT_OF_BOUNDS = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at _Z10map_kernelPKfPfi+0x1b0 in mine.cu:4
=========     by thread (232,0,0) in block (3,0,0)
=========     Address 0x7f6510c00fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 4,000 bytes
=========
========= Invalid __global__ read of size 4 bytes
=========     at _Z10map_kernelPKfPfi+0x1b0 in mine.cu:4
=========     by thread (233,0,0) in block (3,0,0)
=========     Address 0x7f6510c00fa4 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f6510c00000 of size 4,000 bytes
=========
========= ERROR SUMMARY: 2 errors
"""


def one(text: str) -> Finding:
    (finding,) = read_log(text).findings
    return finding


def test_an_access_with_all_that_is_known_of_it() -> None:
    log = read_log(OUT_OF_BOUNDS)
    assert log.started
    assert log.troubles == ()
    first, second = log.findings
    assert first == Finding(
        words="Invalid __global__ read of size 4 bytes",
        space="global",
        access="read",
        size=4,
        frames=(Frame("_Z10map_kernelPKfPfi", "mine.cu", 4),),
        thread=(232, 0, 0),
        block=(3, 0, 0),
        address=0x7F6510C00FA0,
        problem="out of bounds",
        nearest=Allocation(0x7F6510C00000, 4000, 1),
    )
    assert second.thread == (233, 0, 0)


def test_frames_lead_from_the_function_to_the_kernel() -> None:
    finding = one(
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at _Z22out_of_bounds_functionv+0xb0 in /home/me/demo.cu:39\n"
        "=========     by thread (0,0,0) in block (0,0,0)\n"
        "=========     Address 0x87654320 is out of bounds\n"
        "=========     and is 137,179,965,340,896 bytes before the nearest allocation at 0x7cc43a800000 of size "
        "1,024 bytes\n"
        "=========         Device Frame: _Z20out_of_bounds_kernelv+0x30 in demo.cu:44\n"
        "=========\n"
    )
    assert finding.frames == (
        Frame("_Z22out_of_bounds_functionv", "demo.cu", 39),
        Frame("_Z20out_of_bounds_kernelv", "demo.cu", 44),
    )
    assert finding.nearest == Allocation(0x7CC43A800000, 1024, 137_179_965_340_896)


@pytest.mark.parametrize(
    ("head", "space", "access", "size"),
    [
        ("Invalid __shared__ write of size 16 bytes", "shared", "write", 16),
        ("Invalid __local__ read of size 1 bytes", "local", "read", 1),
        ("Invalid __global__ atomic of size 8 bytes", "global", "atomic", 8),
        ("Potential invalid __shared__ read of size 4 bytes", "shared", "read", 4),
    ],
)
def test_kinds_of_access(head: str, space: str, access: str, size: int) -> None:
    finding = one(
        f"========= {head}\n=========     at k+0x170\n"
        "=========     by thread (0,1,2) in block (3,4,5)\n"
        "=========     Address 0x1000400 is out of bounds\n"
    )
    assert (finding.space, finding.access, finding.size) == (space, access, size)
    assert (finding.frames, finding.thread, finding.block) == ((Frame("k"),), (0, 1, 2), (3, 4, 5))
    assert (finding.address, finding.nearest) == (0x1000400, None)


def test_a_misaligned_access_inside_an_array_in_the_words_of_older_versions() -> None:
    finding = one(
        "========= Invalid __global__ write of size 4 bytes\n"
        "=========     at unaligned_kernel:0x160 in memcheck_demo.cu:6\n"
        "=========     by thread (0,0,0) in block (0,0,0)\n"
        "=========     Address 0x7f6510c00001 is misaligned\n"
        "=========     and is inside the nearest allocation at 0x7f6510c00000 of size 4 bytes\n"
    )
    assert finding.problem == "misaligned"
    assert finding.frames == (Frame("unaligned_kernel", "memcheck_demo.cu", 6),)
    assert finding.nearest == Allocation(0x7F6510C00000, 4, 0)


def test_other_errors_of_a_thread_are_findings_too() -> None:
    finding = one(
        "========= Malloc/Free error encountered : Double free\n"
        "=========     at k+0x79d8\n"
        "=========     by thread (0,0,0) in block (0,0,0)\n"
        "=========     Address 0x400aff920\n"
    )
    assert (finding.words, finding.access) == ("Malloc/Free error encountered : Double free", "")
    assert finding.address == 0x400AFF920


def test_a_log_without_findings() -> None:
    log = read_log("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n")
    assert (log.started, log.findings, log.troubles) == (True, (), ())
    assert not read_log("").started


def test_failures_of_the_tool_itself_are_told() -> None:
    internal = (
        "Internal Sanitizer Error: The Sanitizer encountered an error while launching k and didn't track the launch."
    )
    log = read_log(f"========= COMPUTE-SANITIZER\n========= {internal}\n========= Error: Could not connect to target\n")
    assert log.troubles == (internal, "Error: Could not connect to target")
    assert log.findings == ()


def test_errors_of_calls_are_not_a_threads() -> None:
    log = read_log(
        '========= Program hit cudaErrorNotReady (error 600) due to "device not ready" on CUDA API call to '
        "cudaStreamQuery.\n=========     Saved host backtrace up to driver entry point at error\n"
    )
    assert (log.findings, log.troubles) == ((), ())


def test_a_log_can_be_read_while_it_is_written() -> None:
    for length in range(len(OUT_OF_BOUNDS)):
        findings = read_log(OUT_OF_BOUNDS[:length]).findings
        assert len(findings) <= 2
        whole = [f for f in findings if f.nearest is not None]
        assert whole == list(read_log(OUT_OF_BOUNDS).findings)[: len(whole)]


@pytest.mark.parametrize(
    ("line", "forged"),
    [
        ("mine.cu:4", "mine.cu:99 or so"),
        ("mine.cu:4", "a:b:c.cu:7"),
        ("mine.cu:4", "mine.cu:" + "9" * 5000),
        ("(232,0,0)", "(232,0,0) in block (9,9,9)"),
        ("4,000 bytes", "4,000 bytes and more"),
        ("0x7f6510c00fa0", "0x" + "f" * 5000),
    ],
)
def test_a_line_that_does_not_fit_says_nothing_and_hides_nothing(line: str, forged: str) -> None:
    before, after = read_log(OUT_OF_BOUNDS).findings[0], read_log(OUT_OF_BOUNDS.replace(line, forged, 1)).findings[0]
    assert after.words == before.words
    same = [name for name in vars(before) if getattr(before, name) == getattr(after, name)]
    assert len(vars(before)) - len(same) in (1, 2)


def test_a_file_name_with_a_line_of_the_log_in_it_hides_no_finding() -> None:
    evil = "x.cu\n=========     by thread (7,7,7) in block (7,7,7)\n========= Internal Sanitizer Error: none"
    log = read_log(OUT_OF_BOUNDS.replace("mine.cu", evil))
    assert (log.findings[0].words, log.findings[0].access) == ("Invalid __global__ read of size 4 bytes", "read")
