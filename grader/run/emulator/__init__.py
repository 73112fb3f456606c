"""The emulator: runs the PTX of a kernel on the CPU, a warp as a vector, and sees every access.

It knows nothing of problems or submissions: PTX, launch geometry, arguments and buffers in, effects and faults out.

    module = Module(ptx)
    memory = Memory()
    a = memory.place("a", numpy.zeros(100, "f4"))
    result = module.launch("kernel", (1, 1, 1), (100, 1, 1), [struct.pack("<Q", a)], memory)
    memory.read("a")
"""

from grader.run.emulator.counts import LaunchCounts
from grader.run.emulator.errors import UnsupportedPtx
from grader.run.emulator.faults import Fault, LaunchResult, Limits
from grader.run.emulator.memory import Memory
from grader.run.emulator.module import KernelImage, Module
from grader.run.emulator.objects import Objects
from grader.run.emulator.primer import prime

__all__ = [
    "Fault",
    "KernelImage",
    "LaunchCounts",
    "LaunchResult",
    "Limits",
    "Memory",
    "Module",
    "Objects",
    "UnsupportedPtx",
    "prime",
]
