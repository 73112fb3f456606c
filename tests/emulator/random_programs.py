"""Random programs whose path differs from thread to thread, with their meaning for one thread in plain Python.

`Structured` programs are CUDA C: nested conditions, loops, break, continue, return. `Tangled` programs are PTX:
blocks that jump to any other block, by condition or by table, so that no structure is left to rely on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

WORD = 0xFFFF_FFFF
VARIABLES = 4

# Expressions are nested tuples: ("var", k), ("const", n), (operator, left, right).
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    ">>": lambda a, b: a >> (b & 7),
    "%": lambda a, b: a % (b | 1),
}
RELATIONS = {
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
}

leaf = st.one_of(
    st.tuples(st.just("var"), st.integers(0, VARIABLES - 1)), st.tuples(st.just("const"), st.integers(0, 40))
)
expression = st.one_of(leaf, st.tuples(st.sampled_from(sorted(OPERATORS)), leaf, leaf))
condition = st.tuples(st.sampled_from(sorted(RELATIONS)), st.tuples(st.sampled_from(["&", "%"]), leaf, leaf), leaf)
assign = st.tuples(st.just("set"), st.integers(0, VARIABLES - 1), expression)
leave = st.tuples(st.sampled_from(["break", "continue", "return"]), condition)


def extend(statement: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    body = st.lists(statement, min_size=1, max_size=4)
    return st.one_of(
        st.tuples(st.just("if"), condition, body, body),
        st.tuples(st.just("for"), expression, st.lists(st.one_of(statement, leave), min_size=1, max_size=4)),
        st.tuples(st.just("switch"), expression, st.lists(body, min_size=2, max_size=6)),
    )


statement = st.recursive(assign, extend, max_leaves=14)
structured = st.lists(st.one_of(statement, extend(statement)), min_size=2, max_size=5)


def c_expression(e: Any) -> str:
    if e[0] == "var":
        return f"v{e[1]}"
    if e[0] == "const":
        return f"{e[1]}u"
    left, right = c_expression(e[1]), c_expression(e[2])
    right = f"({right} & 7u)" if e[0] == ">>" else f"({right} | 1u)" if e[0] == "%" else right
    return f"({left} {e[0]} {right})"


def c_statements(body: Any, depth: int, in_loop: bool) -> list[str]:
    lines: list[str] = []
    for s in body:
        if s[0] == "set":
            lines.append(f"v{s[1]} = {c_expression(s[2])};")
        elif s[0] == "if":
            lines += [f"if ({c_expression(s[1])}) {{", *c_statements(s[2], depth, in_loop), "} else {"]
            lines += [*c_statements(s[3], depth, in_loop), "}"]
        elif s[0] == "for":
            k = f"k{depth}"
            lines += [f"for (unsigned {k} = 0, n{k} = {c_expression(s[1])} % 6u; {k} < n{k}; ++{k}) {{"]
            lines += [*c_statements(s[2], depth + 1, True), f"v0 += {k};", "}"]
        elif s[0] == "switch":
            lines.append(f"switch ({c_expression(s[1])} % {len(s[2]) + 1}u) {{")
            for i, case in enumerate(s[2]):
                # Every other case falls through into the next one.
                lines += [f"case {i}: {{", *c_statements(case, depth, False), "}", *(["break;"] if i % 2 else [])]
            lines.append("}")
        elif s[0] == "return" or in_loop:
            lines.append(f"if ({c_expression(s[1])}) {'return v1 * 3u + v2' if s[0] == 'return' else s[0]};")
    return lines


def c_source(program: Any) -> str:
    body = "\n    ".join(c_statements(program, 0, False))
    arguments = ", ".join(f"unsigned v{i}" for i in range(VARIABLES))
    start = ", ".join(f"in[i * {VARIABLES} + {k}]" for k in range(VARIABLES))
    return f"""__device__ unsigned body({arguments}) {{
    {body}
    return v0 ^ v1 * 5u ^ v2 * 7u ^ v3 * 11u;
}}
extern "C" __global__ void run(const unsigned* in, unsigned* out) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = body({start});
}}
"""


class Leave(Exception):
    """Control leaves a loop's iteration, a loop, or the program."""


def value(e: Any, v: list[int]) -> int:
    if e[0] == "var":
        return v[e[1]]
    if e[0] == "const":
        return int(e[1])
    operation = OPERATORS.get(e[0]) or RELATIONS[e[0]]
    return int(operation(value(e[1], v), value(e[2], v))) & WORD


def perform(body: Any, v: list[int], in_loop: bool) -> None:
    for s in body:
        if s[0] == "set":
            v[s[1]] = value(s[2], v)
        elif s[0] == "if":
            perform(s[2] if value(s[1], v) else s[3], v, in_loop)
        elif s[0] == "for":
            for k in range(value(s[1], v) % 6):
                try:
                    perform(s[2], v, True)
                except Leave as left:
                    if left.args[0] == "break":
                        break
                    if left.args[0] == "return":
                        raise
                    continue
                v[0] = (v[0] + k) & WORD
        elif s[0] == "switch":
            chosen = value(s[1], v) % (len(s[2]) + 1)
            for i in range(chosen, len(s[2])):
                perform(s[2][i], v, False)
                if i % 2:
                    break
        elif (s[0] == "return" or in_loop) and value(s[1], v):
            raise Leave(s[0])


def structured_result(program: Any, start: list[int]) -> int:
    v = list(start)
    try:
        perform(program, v, False)
    except Leave:
        return (v[1] * 3 + v[2]) & WORD
    return (v[0] ^ v[1] * 5 ^ v[2] * 7 ^ v[3] * 11) & WORD


@dataclass(frozen=True)
class Jump:
    """The end of a block: where to go when `(register & mask) < limit`, and where otherwise; or by table."""

    register: int
    mask: int
    limit: int
    targets: tuple[int, ...]
    by_table: bool


@dataclass(frozen=True)
class Block:
    steps: tuple[tuple[str, int, int, int], ...]
    jump: Jump


STEPS: dict[str, Callable[[int, int], int]] = {
    "add.u32": lambda a, b: a + b,
    "sub.u32": lambda a, b: a - b,
    "mul.lo.u32": lambda a, b: a * b,
    "xor.b32": lambda a, b: a ^ b,
    "min.u32": min,
}
register = st.integers(0, VARIABLES - 1)
step = st.tuples(st.sampled_from(sorted(STEPS)), register, register, st.integers(0, 30))


@st.composite
def tangled(draw: st.DrawFn) -> tuple[Block, ...]:
    count = draw(st.integers(2, 7))
    target = st.integers(0, count)
    jumps = st.builds(
        Jump,
        register,
        st.sampled_from([1, 3, 7, 31]),
        st.integers(0, 8),
        st.tuples(target, target, target, target),
        st.booleans(),
    )
    return tuple(Block(tuple(draw(st.lists(step, max_size=3))), draw(jumps)) for _ in range(count))


FUEL = 60
"""Blocks that a thread visits at most."""


TANGLED_START = f""".version 8.0
.target sm_89
.address_size 64
.visible .entry run(
	.param .u64 run_param_0,
	.param .u64 run_param_1
)
{{
	.reg .b32 	%v<{VARIABLES}>, %fuel, %i, %t, %n;
	.reg .b64 	%in, %out, %at;
	.reg .pred 	%p;
	ld.param.u64 	%in, [run_param_0];
	cvta.to.global.u64 	%in, %in;
	ld.param.u64 	%out, [run_param_1];
	cvta.to.global.u64 	%out, %out;
	mov.u32 	%i, %tid.x;
	mov.u32 	%n, %ntid.x;
	mov.u32 	%t, %ctaid.x;
	mad.lo.s32 	%i, %t, %n, %i;
	mul.wide.u32 	%at, %i, {4 * VARIABLES};
	add.s64 	%in, %in, %at;
	mov.u32 	%fuel, {FUEL};
"""


def tangled_ptx(program: tuple[Block, ...]) -> str:
    lines = TANGLED_START.splitlines()
    lines += [f"\tld.global.u32 \t%v{k}, [%in+{4 * k}];" for k in range(VARIABLES)]
    for at, block in enumerate(program):
        lines += [
            f"$B{at}:",
            "\tsub.u32 \t%fuel, %fuel, 1;",
            "\tsetp.eq.u32 \t%p, %fuel, 0;",
            f"\t@%p bra \t$B{len(program)};",
        ]
        lines += [f"\t{name} \t%v{to}, %v{source}, {constant};" for name, to, source, constant in block.steps]
        jump = block.jump
        lines.append(f"\tand.b32 \t%t, %v{jump.register}, {3 if jump.by_table else jump.mask};")
        if jump.by_table:
            lines += [f"table{at}: .branchtargets", "\t" + ", ".join(f"$B{t}" for t in jump.targets) + ";"]
            lines.append(f"\tbrx.idx \t%t, table{at};")
        else:
            lines += [f"\tsetp.lt.u32 \t%p, %t, {jump.limit};", f"\t@%p bra \t$B{jump.targets[0]};"]
            lines.append(f"\tbra.uni \t$B{jump.targets[1]};" if jump.targets[1] != at + 1 else "")
    lines += [f"$B{len(program)}:", "\tmul.wide.u32 \t%at, %i, 4;", "\tadd.s64 \t%out, %out, %at;"]
    lines += [f"\tmad.lo.u32 \t%v0, %v0, 31, %v{k};" for k in range(1, VARIABLES)]
    lines += ["\tadd.u32 \t%v0, %v0, %fuel;", "\tst.global.u32 \t[%out], %v0;", "\tret;", "}", ""]
    return "\n".join(line for line in lines if line)


def tangled_result(program: tuple[Block, ...], start: list[int]) -> int:
    v, fuel, at = list(start), FUEL, 0
    while at < len(program):
        fuel -= 1
        if fuel == 0:
            break
        for name, to, source, constant in program[at].steps:
            v[to] = STEPS[name](v[source], constant) & WORD
        jump = program[at].jump
        x = v[jump.register]
        at = jump.targets[x & 3] if jump.by_table else jump.targets[int((x & jump.mask) >= jump.limit)]
    result = v[0]
    for k in range(1, VARIABLES):
        result = (result * 31 + v[k]) & WORD
    return (result + fuel) & WORD
