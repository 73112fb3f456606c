"""What instructions cost, and what is said of those that the model does not know."""

from __future__ import annotations

import pytest

from grader.model.calibration import Calibration
from grader.model.gpus import SMS, gpu_named
from grader.model.memory import Traffic
from grader.model.ops import ops_of
from grader.model.pipes import FREE, UnknownInstructionError, cost_of
from grader.model.sampling import LaunchSample, Row
from grader.run.emulator import ops as families
from grader.run.emulator.ptx import traits

HOPPER, TURING = SMS["sm_90"], SMS["sm_75"]
KINDS = {"int": "s32", "float": "f32", "half": "f16x2", "pred": "pred", "carry": "cc", "": "b32"}


def row(text, **more):
    opcode, *modifiers = text.split(" ")[0].split(".")
    given = {
        **dict(line=3, text=text, opcode=opcode, modifiers=tuple(modifiers), block=0, array="", written=(), read=()),
        **dict(guarded=False, executed=1.0, requests=0.0, sectors=0.0, shared_requests=0.0, wavefronts=0.0, turns=0.0),
        **dict(bytes=0.0, lanes=32.0, lines=0.0, reuse=()),
    }
    return Row(**{**given, **more})


def cost(text, sm=HOPPER):
    return cost_of(row(text), sm, Calibration())


@pytest.mark.parametrize(
    ("text", "pipe", "busy"),
    [
        ("fma.rn.f32 %f1, %f2, %f3, %f4", "multiply", 1.0),
        ("fma.rn.f64 %fd1, %fd2, %fd3, %fd4", "double", 2.0),
        ("add.s32 %r1, %r2, %r3", "alu", 2.0),
        ("add.s64 %rd1, %rd2, %rd3", "alu", 4.0),
        ("mad.lo.s32 %r1, %r2, %r3, %r4", "multiply", 2.0),
        ("ex2.approx.f32 %f1, %f2", "special", 8.0),
        ("shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1", "shared", 4.0),
        ("setp.lt.f32 %p1, %f1, %f2", "alu", 2.0),
    ],
)
def test_results_a_cycle_are_those_of_the_programming_guide(text, pipe, busy):
    found = cost(text)
    assert (found.pipe, found.busy) == (pipe, busy)


def test_what_the_assembler_drops_costs_nothing():
    assert cost("cvta.to.global.u64 %rd1, %rd2") == cost("mov.f32 %f1, %f2") == FREE
    assert cost("mov.u32 %r1, %tid.x") != FREE


def test_tensor_cores_take_types_at_their_rates():
    half = cost("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {}").busy
    assert half == pytest.approx(2048 / (1288 / 4))
    assert cost("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {}").busy == pytest.approx(half)
    assert cost("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {}").busy == pytest.approx(2 * half)


def test_what_a_gpu_has_not_is_unknown():
    with pytest.raises(UnknownInstructionError, match="tf32"):
        cost("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {}", TURING)
    with pytest.raises(UnknownInstructionError, match=r"frob\.b32 .*line 3"):
        cost("frob.b32 %r1, %r2")


def test_every_instruction_that_the_emulator_runs_has_a_cost_or_is_named_here():
    """A new family of opcodes needs a row in the model too, or its kernels get no time."""
    assert families
    unknown = set()
    for opcode, kind in traits._rows:
        text = f"{opcode}.{KINDS[kind]} %r1, %r2" if kind else f"{opcode}.b32 %r1, %r2"
        if opcode.startswith(("mma", "wmma")):
            continue
        try:
            launch_ops(row(text))
        except UnknownInstructionError:
            unknown.add(opcode)
    assert {opcode.partition(".")[0] for opcode in unknown - {"cp.mbarrier"}} == {"mbarrier"}


def launch_ops(one):
    launch = LaunchSample("k", "k", (1, 1, 1), (32, 1, 1), 0, 1, 1.0, 1.0, 0.0, (one,), (), ())
    traffic = Traffic((1.0,), {}, 0.0, 0.0, 0.0, 0.0)
    return ops_of(launch, gpu_named("H200"), Calibration(), traffic, 1)


def test_lines_that_are_far_apart_are_looked_up_one_by_one():
    near = launch_ops(row("ld.global.f32 %f1, [%rd1]", requests=1.0, sectors=4.0, lines=1.0)).busy["shared"]
    far = launch_ops(row("ld.global.f32 %f1, [%rd1]", requests=1.0, sectors=32.0, lines=32.0, depth=32.0))
    apart = launch_ops(row("ld.global.f32 %f1, [%rd1]", requests=1.0, sectors=32.0, lines=32.0, depth=8.0))
    assert far.busy["shared"] == 32 * near
    assert apart.busy["shared"] == 8 * near
