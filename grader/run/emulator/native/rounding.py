"""Floating-point operations under a chosen rounding mode.

Rounding to nearest even is LLVM's default. The directed modes are set around the operation, in a routine of its own
that LLVM cannot look into (LangRef, "Constrained Floating-Point Intrinsics" and "llvm.set.rounding").
"""

from __future__ import annotations

from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, suffix

_MODES = {"rz": 0, "rp": 2, "rm": 3}
_PLAIN = {"fma": "llvm.fma", "sqrt": "llvm.sqrt"}
_DYNAMIC = ['metadata !"round.dynamic"', 'metadata !"fpexcept.ignore"']


def round_operation(f: IrFunction, operation: str, mode: str, *values: V) -> V:
    """Returns fadd, fsub, fmul, fdiv, fma or sqrt of float or double lanes, rounded by mode rn, rz, rm or rp."""
    t = values[0].t
    if mode != "rn":
        routine = _routine(f.module, operation, mode, t, t, len(values))
        return V(t, f.call(routine, values[0].type, [str(v) for v in values]))
    if operation in _PLAIN:
        return f.map(_PLAIN[operation], *values)
    return f.op(operation, *values)


def round_cast(f: IrFunction, operation: str, mode: str, value: V, t: str) -> V:
    """Returns fptrunc, sitofp or uitofp to type `t`, rounded by mode rn, rz, rm or rp."""
    if mode == "rn":
        return f.cast(operation, value, t)
    routine = _routine(f.module, operation, mode, value.t, t, 1)
    return V(t, f.call(routine, f"<{LANES} x {t}>", [str(value)]))


def _routine(module: IrModule, operation: str, mode: str, source: str, target: str, count: int) -> str:
    def build(owner: IrModule, name: str) -> IrFunction:
        vector_in, vector_out = f"<{LANES} x {source}>", f"<{LANES} x {target}>"
        arguments = [(vector_in, f"x{index}") for index in range(count)]
        f = IrFunction(owner, name, vector_out, arguments, attributes="nounwind noinline strictfp")
        overload = f"v{LANES}{suffix(target)}" + (f".v{LANES}{suffix(source)}" if source != target else "")
        intrinsic = f"llvm.experimental.constrained.{operation}.{overload}"
        owner.declare("llvm.set.rounding", "void", ["i32"])
        owner.declare(intrinsic, vector_out, [vector_in] * count + ["metadata", "metadata"])
        f.do(f"call void @llvm.set.rounding(i32 {_MODES[mode]}) strictfp")
        inputs = [f"{vector_in} %x{index}" for index in range(count)]
        result = f.let(f"call {vector_out} @{intrinsic}({', '.join(inputs + _DYNAMIC)}) strictfp")
        f.do("call void @llvm.set.rounding(i32 1) strictfp")
        f.do(f"ret {vector_out} {result}")
        return f

    return module.routine(f"{operation}_{mode}_{source}_{target}", build)
