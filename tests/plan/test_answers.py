"""The recorder answers as CUDA does: hundreds of answers of a real GPU, and the same questions asked again."""

from __future__ import annotations

from pathlib import Path

from grader.plan.recording import Argument
from tests.plan.recorded import RECORDING, gpu_table, nvcc_program, record_it

FOLDER = RECORDING / "answers"
ARRAYS = [Argument(name, "int64", 0x7F3000000000 + (i << 21), 1 << 20) for i, name in enumerate("ABC")]


def test_the_answers_are_those_of_a_gpu(cache: Path) -> None:
    program = nvcc_program(FOLDER / "answers.cu", cache, "sm_90")
    recording = record_it(program, cache, table=gpu_table(), arguments=[*ARRAYS, Argument("N", "int64", 1000)])
    assert recording.printed == _for_this_cuda((FOLDER / "h200.txt").read_text())


def _for_this_cuda(text: str) -> str:
    """CUDA 12 gives impossible sizes of grid and block an error of their own."""
    from grader.compile.toolkit import find_nvcc

    header = next(folder for folder in find_nvcc().includes if (folder / "cuda_runtime_api.h").is_file())
    if "#define CUDART_VERSION  12" not in (header / "cuda_runtime_api.h").read_text():
        return text
    impossible = ("plain<<<0", "plain<<<1, 0", "1025", "65>>>", "65536", "dim3(2048)", "2048>>>", "dim3(0), dim3(1024)")
    lines = text.splitlines(keepends=True)
    return "".join(
        line.replace(
            "cudaErrorInvalidValue, last invalid argument",
            "cudaErrorInvalidConfiguration, last invalid configuration argument",
        )
        if any(word in line for word in impossible)
        else line
        for line in lines
    )
