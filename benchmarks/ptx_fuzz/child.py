"""Runs programs by number, each from its own seed, and says of each what came of it: a line before it and one after.

    python -m ptx_fuzz.child SEED FIRST LAST CORPUS OPTIMISED BARRIERS

The corpus is a folder of PTX to be changed, or "-". Every so many programs one is compiled as for students, with all of
LLVM's optimisations; OPTIMISED is that number, 0 for none. BARRIERS is 1 for programs made mostly of barriers, else 0.
"""

from __future__ import annotations

import random
import resource
import sys
import traceback
from functools import lru_cache
from pathlib import Path

import numpy as np

from grader.run.emulator import LaunchResult, Limits, Memory, Module, UnsupportedPtx
from ptx_fuzz.grammar import HEAD, KERNEL, Grammar
from ptx_fuzz.mutations import mutate

MEMORY = 6 << 30
INSTRUCTIONS = 20_000
SECONDS = 5.0
MUTATED = 0.1
"""The share of programs that are changed ones of the corpus, where there is one."""
_MODES = ["", "", "", "sanitize", "count"]
_SIZES = [0, 1, 60, 64, 256, 1000, 4096, 4096, 5000, 65536]


@lru_cache(maxsize=1)
def corpus(folder: str) -> list[str]:
    return [file.read_text() for file in sorted(Path(folder).glob("*.ptx"))] if folder != "-" else []


def program(seed: int, number: int, folder: str, barriers: bool = False) -> str:
    """The text of one program."""
    rng = random.Random(f"{seed} {number}")
    texts = corpus(folder)
    if texts and rng.random() < MUTATED:
        return HEAD.rpartition("//")[2].join(["//", mutate(rng.choice(texts), rng)])
    return Grammar(rng, barriers).text()


def run(seed: int, number: int, folder: str, optimised: int, barriers: bool = False) -> str:
    """What came of a program: "refused: …", a status, or a kind of fault."""
    text, rng = program(seed, number, folder, barriers), random.Random(f"run {seed} {number}")
    # What goes wrong at barriers is looked for by the race checks.
    mode = rng.choice(["", "sanitize", "sanitize", "sanitize", "count"] if barriers else _MODES)
    whole = optimised > 0 and number % optimised == 0
    try:
        module = Module(text, sanitize=mode == "sanitize", count=mode == "count", quick=not whole)
        if not module.kernels:
            return "refused: no kernel"
        kernel = KERNEL if KERNEL in module.kernels else rng.choice(sorted(module.kernels))
        result = _launch(module, kernel, rng)
    except UnsupportedPtx as error:
        return f"refused: {error}"
    except MemoryError:
        return "memory"
    return result.fault.kind if result.fault is not None else result.status


def _launch(module: Module, kernel: str, rng: random.Random) -> LaunchResult:
    memory = Memory()
    size = rng.choice(_SIZES)
    places = [memory.place(name, np.frombuffer(rng.randbytes(size), np.uint8)) for name in "ab"]
    places.append(memory.allocate("c", size, rng.randrange(256)))
    arguments, pointers = [], iter(places * 100)
    for bytes_ in module.kernels[kernel].parameter_bytes:
        value = next(pointers) if bytes_ == 8 else rng.choice([0, 1, 17, 32, 33, size // 4])
        arguments.append(value.to_bytes(bytes_, "little") if bytes_ in (4, 8) else rng.randbytes(bytes_))
    block = rng.choice([(1, 1, 1), (32, 1, 1), (33, 1, 1), (32, 2, 1), (7, 3, 2), (64, 1, 1)])
    return module.launch(
        kernel,
        (rng.choice([1, 1, 2, 3]), 1, 1),
        block,
        arguments,
        memory,
        shared_bytes=rng.choice([0, 0, 4, 64, 1000]),
        limits=Limits(INSTRUCTIONS, SECONDS),
        workers=1,
        cooperative=rng.random() < 0.1,
    )


def main() -> None:
    seed, first, last, optimised, barriers = (int(sys.argv[n]) for n in (1, 2, 3, 5, 6))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in range(first, last):
        print(f"begin {number}", flush=True)
        try:
            outcome = run(seed, number, sys.argv[4], optimised, bool(barriers))
        except Exception:
            outcome = "exception: " + " | ".join(traceback.format_exc().split("\n")[-6:])
        print(f"end {number} {outcome}", flush=True)


if __name__ == "__main__":
    main()
