"""Random PTX: kernels that parse and mostly translate, with addresses, numbers and declarations that they should not
have."""

from __future__ import annotations

import random
from collections.abc import Callable

from grader.run.emulator import layout
from ptx_fuzz.words import ARITHMETIC, ATOMICS, EDGES, POOL_SIZES, POOLS, REGISTERS, SHARED_PLACES, WIDTHS, WINDOWS

HEAD = ".version 8.0\n.target sm_89\n.address_size 64\n// begin inline asm\n"
"""The mark says that what can't be read is the text's own fault."""
KERNEL = "fuzzed"
ARRAYS = 3


class Grammar:
    """One program. `barriers`: made mostly of barriers, exits and branches."""

    def __init__(self, rng: random.Random, barriers: bool = False) -> None:
        self.rng = rng
        self._many_barriers = barriers
        self._shared = [f"s{i}" for i in range(rng.randrange(4))]
        self._locals = [f"l{i}" for i in range(rng.randrange(3))]
        self._globals = [f"g{i}" for i in range(rng.randrange(3))]
        self._functions: list[str] = []
        self._labels = 0
        self._calls = 0
        self._in_function = False

    def text(self) -> str:
        rng = self.rng
        lines = [self._variable("global" if rng.random() < 0.6 else "const", name) for name in self._globals]
        if rng.random() < 0.25:
            lines.append(".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 b);")
            lines.append(".global .align 1 .b8 fmt[12] = {37, 100, 32, 37, 115, 32, 37, 102, 10, 0, 0, 0};")
            self._globals.append("fmt")
        for number in range(rng.choice([0, 0, 0, 1, 2])):
            lines += self._function(f"f{number}")
        parameters = [f".param .u64 a{i}" for i in range(ARRAYS)]
        parameters += [".param .u32 n", f".param .align 8 .b8 box[{rng.choice([8, 16, 24])}]"]
        lines.append(f".visible .entry {KERNEL}({', '.join(parameters)}){self._bounds()}{{")
        lines += self._declarations()
        lines += self._start()
        lines += self._body(rng.choice([3, 4, 5, 6, 8, 16]))
        return HEAD + "\n".join([*lines, "ret;", "}", ""])

    def _bounds(self) -> str:
        return self.rng.choice([""] * 8 + [" .maxntid 256, 1, 1 ", " .reqntid 32 ", " .minnctapersm 2 "])

    # Declarations

    def _variable(self, space: str, name: str) -> str:
        rng = self.rng
        align, kind = rng.choice([1, 2, 4, 8, 16, 128]), rng.choice(["b8", "b8", "b32", "b64", "f32"])
        size = rng.choice([1, 2, 3, 4, 7, 8, 16, 33, 64, 100, 512])
        if space == "shared" and rng.random() < 0.2:
            return f".extern .shared .align {align} .{kind} {name}[];"
        return f".{space} .align {align} .{kind} {name}[{size}];"

    def _declarations(self) -> list[str]:
        lines = [f".reg .{REGISTERS[pool]} {pool}<{size}>;" for pool, size in POOL_SIZES.items()]
        lines += [self._variable("shared", name).replace(".extern ", "") for name in self._shared]
        return lines + [self._variable("local", name) for name in self._locals]

    def _start(self) -> list[str]:
        lines = [f"ld.param.u64 %d{i},[a{i}];" for i in range(ARRAYS)]
        lines += ["mov.u32 %r0,%tid.x;", "ld.param.u32 %r1,[n];", "mul.wide.u32 %d4,%r0,4;", "setp.lt.u32 %p0,%r0,%r1;"]
        lines += ["add.s64 %d3,%d0,%d4;", "add.s64 %d5,%d1,%d4;", "mov.u32 %r2,%ctaid.x;", "and.b32 %r3,%r0,3;"]
        lines += ["setp.eq.s32 %p1,%r3,1;", "setp.eq.s32 %p2,%r0,5;", "shl.b32 %r4,%r0,2;"]
        for number, name in enumerate([*self._shared, *self._locals, *self._globals][:6]):
            lines += [f"mov.u64 %d{6 + number},{name};", f"cvt.u32.u64 %r{5 + number},%d{6 + number};"]
            lines += [f"add.s32 %r{5 + number},%r{5 + number},%r4;"] if self.rng.random() < 0.5 else []
        return lines

    def _function(self, name: str) -> list[str]:
        """A device function; some call themselves, some write over their own stack."""
        rng = self.rng
        size = rng.choice([4, 8, 12, 64, 400])
        head = f".func (.param .b32 out) {name}(.param .align 8 .b8 in[{size}])"
        self._in_function = True
        lines = [f"{head}{{", *self._declarations(), "mov.u32 %r0,%tid.x;", "mov.u64 %d0,0;", "setp.lt.u32 %p0,%r0,9;"]
        lines += [f"ld.param.b32 %r1,[in+{rng.choice([0, 0, 4, size - 4, size - 4, size - 4, size])}];"]
        if rng.random() < 0.5:
            lines += ["setp.gt.s32 %p1,%r1,0;", "sub.s32 %r1,%r1,1;", *self._call(name, size, "@%p1 ")]
        lines += self._body(rng.randrange(1, 7))
        lines += ["st.param.b32 [out],%r2;", "ret;", "}"]
        self._in_function = False
        self._functions.append(f"{name} {size}")
        return lines

    # Operands

    def register(self, pool: str) -> str:
        return f"{pool}{self.rng.randrange(POOL_SIZES[pool])}"

    def value(self, kind: str) -> str:
        """A register for the type, or a number."""
        pool = POOLS.get(kind, "%r")
        if pool in ("%r", "%d") and self.rng.random() < 0.2:
            return str(self.rng.choice(EDGES))
        return self.register(pool)

    def address(self, space: str, bytes_: int) -> str:
        """Mostly of something that is there; the offset may lead outside."""
        rng = self.rng
        step = rng.choice([0, 0, 0, 0, bytes_, -bytes_, 4, 12, 60, 1, *rng.sample(EDGES, 2)])
        offset = f"+{step}" if step >= 0 else str(step)
        if rng.random() < 0.12:
            if space in ("shared", "local"):
                return f"[{(rng.choice(SHARED_PLACES) + rng.choice([0, 4, -4, 63])) & 0xFFFFFFFF}]"
            wild = (rng.choice(WINDOWS) + rng.choice([0, 0, 4, -4, -8, 1 << 24, layout.SLOT_MIDDLE])) & (1 << 64) - 1
            return f"[{wild}]"
        names = {"shared": self._shared, "local": self._locals}.get(space, self._globals)
        if names and rng.random() < 0.35:
            return f"[{rng.choice(names)}{offset}]"
        if space in ("shared", "local"):
            return f"[{rng.choice(['%r4', '%r5', '%r6', '%r7', '%r8', '%d6', self.register('%r')])}{offset}]"
        return f"[{rng.choice(['%d0', '%d1', '%d2', '%d3', '%d5', '%d3', '%d5', self.register('%d')])}{offset}]"

    def _vector(self, kind: str) -> tuple[str, int]:
        """(`.v2` or the like, components)."""
        count = self.rng.choice([1, 1, 1, 1, 2, 4])
        return (f".v{count}", count) if count > 1 else ("", 1)

    # Statements

    def _body(self, count: int) -> list[str]:
        choices: list[tuple[int, Callable[[], list[str]]]] = [
            (40, self._any_barrier), (8, self._plain), (1, self._access), (4, self._warp), (12, self._branch),
            (4, self._loop), (1, self._table), (8, self._leave_quietly), (1, self._calls_something),
        ] if self._many_barriers else [
            (30, self._access), (24, self._plain), (8, self._atomic), (6, self._warp), (5, self._copies),
            (4, self._object), (4, self._matrix), (6, self._branch), (3, self._barrier), (2, self._parameter),
            (3, self._calls_something), (2, self._hint), (2, self._loop), (1, self._table), (1, self._leave),
        ]  # fmt: skip
        makers = self.rng.choices([make for _, make in choices], [weight for weight, _ in choices], k=count)
        return [line for make in makers for line in make()]

    def _guard(self) -> str:
        return self.rng.choice(["", "", "", "@%p0 ", "@%p1 ", "@!%p2 ", "@%p2 "])

    def _plain(self) -> list[str]:
        lines = []
        for _ in range(self.rng.randrange(1, 4)):
            text = self.rng.choice(ARITHMETIC)
            opcode, _, operands = text.partition(" ")
            parts = [self._filled(operand) for operand in operands.split(",")]
            lines.append(f"{self._guard()}{opcode} {','.join(parts)};")
        return lines

    def _filled(self, operand: str) -> str:
        """A register for each pool that an operand names."""
        core = operand.strip("{}")
        return operand.replace(core, self.register(core)) if core in POOL_SIZES else operand

    def _access(self) -> list[str]:
        rng = self.rng
        kind, space = (
            rng.choice(sorted(WIDTHS)),
            rng.choice(["global", "global", "shared", "shared", "local", "", "const"]),
        )
        vector, count = self._vector(kind)
        strength = rng.choice(["", "", "", ".volatile", ".relaxed.gpu", ".acquire.gpu"])
        address = self.address(space, WIDTHS[kind] * count)
        load = rng.random() < 0.5
        if not load:
            strength = strength.replace("acquire", "release")
        items = [self.register(POOLS.get(kind, "%r")) for _ in range(count)]
        data = f"{{{','.join(items)}}}" if count > 1 else items[0]
        name = (
            f"{'ld' if load else 'st'}{strength if space != 'const' else ''}{'.' * bool(space)}{space}{vector}.{kind}"
        )
        return [f"{self._guard()}{name} {data},{address};" if load else f"{self._guard()}{name} {address},{data};"]

    def _atomic(self) -> list[str]:
        rng = self.rng
        operation, space = rng.choice(ATOMICS), rng.choice(["global", "shared", ""])
        kind = operation.rpartition(".")[2]
        kind = {"f16x2": "b32"}.get(kind, kind)
        address, value = self.address(space, WIDTHS.get(kind, 8)), self.value(kind)
        where = f"{'.' * bool(space)}{space}"
        if rng.random() < 0.2:
            return [f"{self._guard()}atom{where}.cas.b32 {self.register('%r')},{address},{self.value('b32')},%r3;"]
        if rng.random() < 0.5:
            return [f"{self._guard()}red{where}.{operation} {address},{value};"]
        return [f"{self._guard()}atom{where}.{operation} {self.register(POOLS.get(kind, '%r'))},{address},{value};"]

    def _warp(self) -> list[str]:
        rng = self.rng
        mask = rng.choice(["0xffffffff", "-1", "0xffff", "1", "0", "%r1", "%r3"])
        r = [self.register("%r") for _ in range(4)]
        by, clamp = rng.choice([r[1], "1", "16", "31", "40", "-1"]), rng.choice(["31", "0x1f", "0x101f", r[2], "7199"])
        return [rng.choice([
            f"shfl.sync.{rng.choice(['up', 'down', 'bfly', 'idx'])}.b32 {r[0]},{r[1]},{by},{clamp},{mask};",
            f"vote.sync.ballot.b32 {r[0]},%p0,{mask};", f"vote.sync.any.pred %p3,%p1,{mask};",
            f"match.any.sync.b32 {r[0]},{r[1]},{mask};", f"match.all.sync.b64 {r[0]}|%p3,%d3,{mask};",
            f"redux.sync.add.s32 {r[0]},{r[1]},{mask};", f"bar.warp.sync {mask};",
        ])]  # fmt: skip

    def _copies(self) -> list[str]:
        rng = self.rng
        size = rng.choice([4, 8, 16, 16])
        some = rng.choice(["", "", ",%r1", ",3", ",0", ",17", ",-1", ",4294967295"])
        level = "cg" if size == 16 and rng.random() < 0.5 else "ca"
        target, source = self.address("shared", size), self.address("global", size)
        copy = f"cp.async.{level}.shared.global {target},{source},{size}{some};"
        ends = ["cp.async.commit_group;", f"cp.async.wait_group {rng.choice([0, 1, 3, 500])};", "cp.async.wait_all;",
                f"cp.async.mbarrier.arrive.noinc.shared.b64 {self.address('shared', 8)};"]  # fmt: skip
        return [copy, *rng.sample(ends, rng.randrange(3))]

    def _object(self) -> list[str]:
        address, d, r = self.address("shared", 8), self.register("%d"), self.register("%r")
        return [self._guard() + self.rng.choice([
            f"mbarrier.init.shared.b64 {address},{self.value('b32')};", f"mbarrier.inval.shared.b64 {address};",
            f"mbarrier.arrive.shared.b64 {d},{address};", f"mbarrier.arrive.noComplete.shared.b64 {d},{address},2;",
            f"mbarrier.test_wait.shared.b64 %p3,{address},{d};", f"mbarrier.pending_count.b64 {r},{d};",
            f"mbarrier.try_wait.parity.shared.b64 %p3,{address},{r};",
            f"mbarrier.arrive_drop.shared.b64 {d},{address};",
        ])]  # fmt: skip

    def _matrix(self) -> list[str]:
        rng = self.rng
        r = [self.register("%r") for _ in range(10)]
        shared, anywhere = self.address("shared", 16), self.address(rng.choice(["shared", ""]), 16)
        trans = rng.choice(["", ".trans"])
        one, four, eight = f"{{{r[0]}}}", f"{{{','.join(r[:4])}}}", f"{{{','.join(r[:8])}}}"
        floats = f"{{{','.join(self.register('%f') for _ in range(8))}}}"
        sums = "{%f0,%f1,%f2,%f3}"
        stride = rng.choice(["%r1", "16", "17", "0", "-16", "4294967295", "8"])
        return [rng.choice([
            f"ldmatrix.sync.aligned.m8n8.x1{trans}.shared.b16 {one},{shared};",
            f"ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {four},{shared};",
            f"wmma.load.a.sync.aligned.row.m16n16k16.f16 {eight},{anywhere},{stride};",
            f"wmma.load.c.sync.aligned.col.m16n16k16.f32 {floats},{anywhere},{stride};",
            f"wmma.store.d.sync.aligned.row.m16n16k16.f32 {anywhere},{floats},{stride};",
            f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {sums},{four},{{{r[4]},{r[5]}}},{sums};",
            f"movmatrix.sync.aligned.m8n8.trans.b16 {r[0]},{r[1]};",
        ])]  # fmt: skip

    def _label(self) -> str:
        self._labels += 1
        return f"$L{self._labels}"

    def _branch(self) -> list[str]:
        label = self._label()
        return [f"@{self.rng.choice(['%p0', '!%p1', '%p2', '%p3'])} bra {label};", *self._body(2), f"{label}:"]

    def _loop(self) -> list[str]:
        label, counter = self._label(), self.register("%r")
        lines = [f"mov.u32 {counter},{self.rng.choice([1, 2, 5, 300])};", f"{label}:", *self._body(2)]
        return [*lines, f"sub.s32 {counter},{counter},1;", f"setp.gt.s32 %p4,{counter},0;", f"@%p4 bra {label};"]

    def _table(self) -> list[str]:
        name, labels = self._label(), [self._label() for _ in range(self.rng.randrange(1, 5))]
        lines = [f"{name}: .branchtargets {', '.join(labels)};", f"brx.idx {self.register('%r')}, {name};"]
        return [*lines, *(line for label in labels for line in [f"{label}:", *self._plain()])]

    def _leave(self) -> list[str]:
        return [f"@{self.rng.choice(['%p1', '%p2', '!%p0'])} {self.rng.choice(['exit', 'ret', 'trap'])};"]

    def _barrier(self) -> list[str]:
        rng = self.rng
        number, count = (
            rng.choice(["0", "0", "0", "1", "15", "16", "%r3", "99"]),
            rng.choice(["32", "64", "%r1", "31", "-1"]),
        )
        return [rng.choice([f"bar.sync {number};", "bar.sync 0;", f"barrier.sync {number},{count};",
                            f"bar.arrive {number},{count};",
                            f"bar.red.popc.u32 %r9,{rng.choice([0, 1, 15])},%p0;", "membar.gl;"])]  # fmt: skip

    def _any_barrier(self) -> list[str]:
        """A barrier of any spelling, with or without a guard; its number and count may be known at run time only."""
        rng = self.rng
        number = rng.choice(["0", "0", "0", "0", "1", "1", "15", "%r1", "%r2", "%r3"])
        count = rng.choice(["", "", "", ",32", ",64", ",96", ",0", ",%r1", ",%r1", ",%r2", ",%r2", ",%r3", ",-1"])
        name = rng.choice(["bar", "bar.cta", "barrier", "barrier.cta"])
        fixed = rng.choice(["0", "0", "1", "15"])
        return [rng.choice(["", "", "", "@%p0 ", "@%p1 ", "@!%p1 ", "@%p2 ", "@!%p2 "]) + rng.choice([
            f"{name}.sync {number}{count};", f"{name}.sync {number}{count};",
            f"{name}.arrive {number}{count or ',%r2'};", f"{name}.arrive {number}{count or ',%r2'};",
            f"{name}.red.popc.u32 %r9,{fixed}{count},%p0;",
            f"{name}.red.{rng.choice(['and', 'or'])}.pred %p3,{fixed}{count},%p1;",
        ])]  # fmt: skip

    def _leave_quietly(self) -> list[str]:
        return [f"@{self.rng.choice(['%p0', '%p1', '%p2', '!%p0', '!%p1', '!%p2', '%p3'])} exit;"]

    def _parameter(self) -> list[str]:
        rng = self.rng
        if self._in_function:
            return [rng.choice([f"ld.param.b64 %d5,[in+{rng.choice([0, 0, 0, 4, 396])}];", "st.param.b32 [in],%r1;",
                                f"st.param.b32 [out+{rng.choice([0, 0, 0, 0, 4, -4])}],%r1;"])]  # fmt: skip
        offset = rng.choice([0, 0, 0, 0, 0, 8, 16, -4])
        inner = f"{{ .param .b8 box[4]; st.param.b32 [box+{rng.choice([0, 0, 0, 0, 4, 12])}],%r1; }}"
        return [rng.choice([f"ld.param.b64 %d5,[box+{offset}];", f"ld.param.v2.u32 {{%r9,%r10}},[box+{offset}];", inner,
                            "mov.b64 %d5,box;", "mov.b64 %d5,a1;"])]  # fmt: skip

    def _calls_something(self) -> list[str]:
        rng = self.rng
        if "fmt" in self._globals and rng.random() < 0.5:
            pointer, buffer = rng.choice(["%d0", "%d6", "%d5"]), rng.choice(["%d3", "%d7", "%d0"])
            given = f"st.param.b64 [f],{pointer}; st.param.b64 [b],{buffer};"
            called = "call.uni (r), vprintf, (f, b); ld.param.b32 %r9,[r]; }"
            return ["{ .param .b64 f; .param .b64 b; .param .b32 r; mov.u64 %d6,fmt;", given, called]
        if not self._functions or self._in_function:
            return []
        name, size = rng.choice(self._functions).split()
        return self._call(name, int(size), self._guard())

    def _call(self, name: str, size: int, guard: str) -> list[str]:
        rng = self.rng
        given = size if rng.random() < 0.8 else rng.choice([4, 8, 400, 800])
        lines = [
            f"{{ .param .align 8 .b8 p[{given}]; .param .b32 q;",
            f"st.param.b32 [p+{rng.choice([0, 0, given - 4])}],%r1;",
        ]
        if rng.random() < 0.7:
            return [*lines, f"{guard}call (q), {name}, (p);", "ld.param.b32 %r2,[q]; }"]
        self._calls += 1
        pointer = f"mov.u64 %d9,{name};" if rng.random() < 0.7 else "add.s64 %d9,%d9,1;"
        prototype = f"pt{self._calls}: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[{given}]);"
        return [*lines, pointer, prototype, f"{guard}call (q), %d9, (p), pt{self._calls};", "ld.param.b32 %r2,[q]; }"]

    def _hint(self) -> list[str]:
        address = self.address("", 4)
        return [self.rng.choice([f"prefetch.global.L1 {address};", f"discard.global.L2 {address},128;",
                                 "isspacep.shared %p3,%d5;", "cvta.to.shared.u64 %d5,%d5;", "cvta.local.u64 %d5,%d6;",
                                 "createpolicy.fractional.L2::evict_last.b64 %d9,0f3F800000;", "fence.acq_rel.gpu;",
                                 "nanosleep.u32 5;"])]  # fmt: skip
