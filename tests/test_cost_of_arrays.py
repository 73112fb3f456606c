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
"""
FAULTS = """
import resource
import numpy
from grader.core.memory import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def case():
    arrays = [numpy.ones(1 << 19) for _ in range(4)]

keep_freed_memory()
case()
before = faults()
for _ in range(8):
    case()
print(faults() - before)
"""


def printed_by(program: str) -> list[int]:
    """The numbers that a process of its own prints, which has two threads where NumPy can use them."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_linear_algebra_of_a_small_case_has_one_thread_and_then_all_again() -> None:
    assert printed_by(THREADS) == [1, 2]


def test_arrays_reuse_the_memory_of_those_before() -> None:
    (faults,) = printed_by(FAULTS)
    # Eight times 16 MiB are 32,768 pages.
    assert faults < 1000
