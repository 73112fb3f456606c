"""What an instruction of the machine code costs a quarter of an SM. Results a cycle are those of the data sheets."""

from __future__ import annotations

from grader.model.anchors import products_of, width_of
from grader.model.calibration import Calibration
from grader.model.gpus import Sm
from grader.model.pipes import LANES, PARTITIONS, Cost
from grader.sass import Instruction

_FREE = ("NOP",)
_MULTIPLY_FLOAT = ("FFMA", "FADD", "FMUL", "FFMA32I", "FADD32I", "FMUL32I", "FSWZADD")
_MULTIPLY_INTEGER = ("IMAD", "IDP", "IDP4A", "IMUL", "XMAD")
_HALF = ("HFMA2", "HADD2", "HMUL2", "HMNMX2", "HSET2", "HSETP2")
_DOUBLE = ("DFMA", "DADD", "DMUL", "DSETP", "DMNMX")
_SPECIAL = ("MUFU", "I2F", "F2I", "FRND", "POPC", "FLO", "BREV", "I2FP", "REDUX")
_CONSTANTS = ("LDC", "LDCU")
_FROM_SPECIAL_REGISTERS = ("S2R", "S2UR", "CS2R", "R2UR", "VOTE", "VOTEU")
_CONTROL = (
    *("BRA", "EXIT", "RET", "CALL", "BSSY", "BSYNC", "BREAK", "WARPSYNC", "YIELD", "NANOSLEEP", "BRX", "JMP"),
    *("DEPBAR", "ERRBAR", "CCTL", "BMOV", "PREEXIT", "ACQBULK", "ENDCOLLECTIVE", "WARPGROUP", "BPT"),
)
_FENCES = ("MEMBAR",)
_TENSOR = ("HMMA", "IMMA", "DMMA", "BMMA")
_TYPES = {"HMMA": "f16", "IMMA": "s8", "DMMA": "f64", "BMMA": "b1"}


def cost_of_machine(one: Instruction, sm: Sm, values: Calibration) -> Cost:
    """The cost of an instruction that no PTX access stands beside. An unknown one costs what integers do."""
    name = one.name
    if name in _FREE or name in _CONTROL or name.startswith("U"):
        return Cost(1.0, "", 0.0, 0.0)
    if name in _FENCES:
        return Cost(1.0, "", 0.0, values.latency_fence)
    if name in _MULTIPLY_FLOAT:
        return Cost(1.0, "multiply", _cycles(sm.fp32), values.latency_arithmetic)
    if name in _MULTIPLY_INTEGER:
        return Cost(1.0, "multiply", _cycles(sm.multiply), values.latency_arithmetic)
    if name in _HALF:
        return Cost(1.0, "half", _cycles(sm.half), values.latency_arithmetic)
    if name in _DOUBLE:
        return Cost(1.0, "double", _cycles(sm.fp64), values.latency_double)
    if name in _SPECIAL:
        return Cost(1.0, "special", _cycles(sm.special), values.latency_special)
    if name in _CONSTANTS:
        return Cost(1.0, "", 0.0, values.latency_shared)
    if name in _FROM_SPECIAL_REGISTERS:
        return Cost(1.0, "", 0.0, values.latency_special_register)
    if name == "SHFL":
        return Cost(1.0, "shared", _cycles(sm.shuffle), values.latency_shuffle)
    if name in _TENSOR:
        return _product(one, sm, values)
    if name in ("LDL", "STL", "LDG", "LD", "STG", "ST"):
        # Spilled registers, and what PTX keeps in a thread's own memory: each lane has its word beside the others'.
        busy = PARTITIONS * max(1.0, width_of(one) / 4)
        return Cost(1.0, "shared", busy, values.latency_l1)
    if name in ("LDS", "STS", "LDSM", "STSM", "ATOMS"):
        return Cost(1.0, "shared", PARTITIONS * max(1.0, width_of(one) / 4), values.latency_shared)
    return Cost(1.0, "alu", _cycles(sm.integer), values.latency_arithmetic)


def _cycles(results: float) -> float:
    return LANES * PARTITIONS / results


def _product(one: Instruction, sm: Sm, values: Calibration) -> Cost:
    kind = _TYPES[one.name]
    if "TF32" in one.modifiers:
        kind = "tf32"
    elif "BF16" in one.modifiers:
        kind = "bf16"
    factor = sm.tensor_of.get(kind, 0.0) or sm.tensor_of.get("f16", 1.0)
    busy = products_of(one) / (sm.tensor / PARTITIONS * factor)
    return Cost(1.0, "tensor", busy, max(values.latency_tensor, busy + 16))
