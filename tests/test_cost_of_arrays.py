"""What arrays of a small case cost beside their arithmetic: threads that poll, and pages that the system clears."""

from __future__ import annotations

import os
import subprocess
import sys

THREADS = """
import numpy
from threadpoolctl import threadpool_info
from grader.core.threads import one_thread

def threads():
    return max(library["num_threads"] for library in threadpool_info())

with one_thread():
    within = threads()
print(within, threads())
one, other = one_thread(), one_thread()
one.__enter__()
other.__enter__()
one.__exit__(None, None, None)
within = threads()
other.__exit__(None, None, None)
print(within, threads())
"""
FAULTS = """
import resource
from concurrent.futures import ThreadPoolExecutor
import numpy
from grader.core.memory import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def case():
    arrays = [numpy.ones(1 << 21) for _ in range(4)]

keep_freed_memory()
with ThreadPoolExecutor(1) as beside:
    for run in (lambda: case(), lambda: beside.submit(case).result()):
        run()
        before = faults()
        for _ in range(8):
            run()
        print(faults() - before)
"""


def printed_by(program: str) -> list[int]:
    """The numbers that a process of its own prints, which has two threads where NumPy can use them."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_linear_algebra_of_a_small_case_has_one_thread_and_then_all_again() -> None:
    # Also where two threads are within it and the first leaves first.
    assert printed_by(THREADS) == [1, 2, 1, 2]


def test_arrays_reuse_the_memory_of_those_before() -> None:
    faults = printed_by(FAULTS)
    # In the main thread and in another. Eight times 64 MiB are 131,072 pages.
    assert len(faults) == 2 and max(faults) < 1000
