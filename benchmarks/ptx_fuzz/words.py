"""What random PTX is made of: types, registers, instructions, and numbers and addresses at the edge of something."""

from __future__ import annotations

from grader.run.emulator import layout

WIDTHS = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "s16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "f64": 8}
POOLS = {"b8": "%h", "u8": "%h", "s8": "%h", "b16": "%h", "s16": "%h", "f16": "%h", "f32": "%f", "f64": "%g",
          "b64": "%d", "u64": "%d", "s64": "%d"}  # fmt: skip
POOL_SIZES = {"%p": 6, "%h": 8, "%r": 16, "%d": 16, "%f": 8, "%g": 6}
REGISTERS = {"%p": "pred", "%h": "b16", "%r": "b32", "%d": "b64", "%f": "f32", "%g": "f64"}
EDGES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 1 << 16,
          (1 << 24) - 4, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) - 4]  # fmt: skip
WINDOWS = [0, layout.SHARED_WINDOW, layout.LOCAL_WINDOW, layout.LOCAL_WINDOW + layout.SHARED_WINDOW,
            layout.array_address(layout.PARAMETER_SLOT), layout.array_address(layout.WORKSPACE_SLOT),
            layout.FUNCTION_SLOT << layout.SLOT_BITS, layout.array_address(layout.FIRST_VARIABLE_SLOT),
            layout.array_address(layout.FIRST_ARRAY_SLOT), layout.array_address(layout.SLOT_COUNT - 1), 1 << 48,
            1 << 63,
            layout.SHARED_WINDOW + layout.shared_address(1), layout.SHARED_WINDOW + layout.shared_address(255),
            (1 << 64) - 1]  # fmt: skip
SHARED_PLACES = [0, layout.shared_address(1), layout.shared_address(2), layout.shared_address(254),
                  layout.shared_address(255), (1 << 32) - 4]  # fmt: skip
ATOMICS = ["add.u32", "add.s32", "add.u64", "add.f32", "add.f64", "and.b32", "or.b32", "xor.b64", "exch.b32",
            "exch.b64", "min.s32", "max.u64", "inc.u32", "dec.u32", "add.noftz.f16x2", "add.noftz.f16"]  # fmt: skip
ARITHMETIC = [
    "add.s32 %r,%r,%r", "sub.s32 %r,%r,%r", "mul.lo.s32 %r,%r,%r", "mul.hi.u32 %r,%r,%r", "mad.lo.s32 %r,%r,%r,%r",
    "div.u32 %r,%r,%r", "rem.s32 %r,%r,%r", "shl.b32 %r,%r,%r", "shr.s32 %r,%r,%r", "and.b32 %r,%r,%r",
    "xor.b64 %d,%d,%d", "bfe.u32 %r,%r,%r,%r", "bfi.b32 %r,%r,%r,%r,%r", "prmt.b32 %r,%r,%r,%r", "clz.b32 %r,%r",
    "popc.b64 %r,%d", "brev.b32 %r,%r", "lop3.b32 %r,%r,%r,%r,0x96", "shf.l.wrap.b32 %r,%r,%r,%r", "add.f32 %f,%f,%f",
    "fma.rn.f32 %f,%f,%f,%f", "div.rn.f32 %f,%f,%f", "sqrt.rn.f32 %f,%f", "add.f64 %g,%g,%g",
    "rcp.approx.ftz.f32 %f,%f",
    "cvt.rzi.s32.f32 %r,%f", "cvt.rn.f32.s32 %f,%r", "cvt.u64.u32 %d,%r", "cvt.u32.u64 %r,%d", "cvt.rn.f16.f32 %h,%f",
    "cvt.u16.u32 %h,%r", "setp.lt.s32 %p,%r,%r", "setp.eq.u64 %p,%d,%d", "setp.gtu.f32 %p,%f,%f",
    "selp.b32 %r,%r,%r,%p",
    "add.s64 %d,%d,%d", "mul.wide.u32 %d,%r,%r", "mov.b64 %d,{%r,%r}", "mov.b64 {%r,%r},%d", "and.pred %p,%p,%p",
    "min.s32 %r,%r,%r", "dp4a.u32.u32 %r,%r,%r,%r", "ex2.approx.f32 %f,%f",
    "mov.u32 %r,%laneid", "mov.u32 %r,%nctaid.x", "mov.u32 %r,%smid", "mov.u64 %d,%clock64", "mov.u32 %r,%envreg1",
    "activemask.b32 %r", "not.pred %p,%p", "mad24.lo.s32 %r,%r,%r,%r", "fns.b32 %r,%r,%r,%r", "sad.s32 %r,%r,%r,%r",
    "mov.u32 %r,%total_smem_size", "slct.s32.s32 %r,%r,%r,%r", "vabsdiff4.u32.u32.u32.add %r,%r,%r,%r",
]  # fmt: skip
