"""mma.sync: every shape and type, against NumPy on the emulator, and the emulator against a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from grader.run.emulator import UnsupportedPtx

from .cases import Case
from .emulated import on_emulator
from .fragments import A_PLACES, B_PLACES, Array, c_place, codes, held, number, packed, spread, width
from .harness import Outcome, compile_ptx
from .test_hardware import gpu_present, on_gpu

_CONSTRAINT = {"f32": "f", "f64": "d"}
_C_TYPE = {"f32": "float", "f64": "double"}
_DTYPE = {"f32": "f4", "f64": "f8", "s32": "i4", "f16": "f2"}


@dataclass(frozen=True)
class Mma:
    """One instruction: D and C are of type `sums`."""

    shape: str
    a: str
    b: str
    sums: str
    ending: str = ""

    @property
    def size(self) -> tuple[int, int, int]:
        m, rest = self.shape[1:].split("n")
        n, k = rest.split("k")
        return int(m), int(n), int(k)

    @property
    def instruction(self) -> str:
        saturating = ".satfinite" * (self.ending == "satfinite")
        combining = f".{self.ending}.popc" if self.a == "b1" else ""
        kinds = f"{self.sums}.{self.a}.{self.b}.{self.sums}"
        return f"mma.sync.aligned.{self.shape}.row.col{saturating}.{kinds}{combining}"

    def __str__(self) -> str:
        return "-".join(filter(None, (self.shape, self.a, self.b, self.sums, self.ending)))


MMAS = [
    *(Mma(shape, "f16", "f16", sums) for shape in ("m16n8k8", "m16n8k16") for sums in ("f16", "f32")),
    *(Mma(shape, "bf16", "bf16", "f32") for shape in ("m16n8k8", "m16n8k16")),
    *(Mma(shape, "tf32", "tf32", "f32") for shape in ("m16n8k4", "m16n8k8")),
    *(Mma("m16n8k32", a, b, "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    *(Mma(shape, "e4m3", "e5m2", "f16") for shape in ("m16n8k16", "m16n8k32")),
    *(Mma(shape, "f64", "f64", "f64") for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")),
    *(Mma("m16n8k32", a, b, "s32", end) for a in ("s8", "u8") for b in ("s8", "u8") for end in ("", "satfinite")),
    *(Mma(shape, "s8", "u8", "s32") for shape in ("m8n8k16", "m16n8k16")),
    *(Mma(shape, "s4", "u4", "s32") for shape in ("m8n8k32", "m16n8k32", "m16n8k64")),
    Mma("m16n8k64", "u4", "s4", "s32", "satfinite"),
    *(Mma(shape, "b1", "b1", "s32", "xor") for shape in ("m8n8k128", "m16n8k128", "m16n8k256")),
    Mma("m16n8k256", "b1", "b1", "s32", "and"),
]


def source(mma: Mma, words: tuple[int, int, int]) -> str:
    """A kernel whose lanes bring their registers from memory, and take D's there."""
    a_type, sums = _C_TYPE.get(mma.a, "unsigned"), _C_TYPE.get(mma.sums, "unsigned")
    a_letter, letter = _CONSTRAINT.get(mma.a, "r"), _CONSTRAINT.get(mma.sums, "r")
    na, nb, nc = words
    numbers = iter(range(100))
    groups = ["{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}" for count in (nc, na, nb, nc)]
    outputs = ", ".join(f'"={letter}"(d[{nc} * lane + {i}])' for i in range(nc))
    inputs = [
        f'"{kind}"({name}[{count} * lane + {i}])'
        for kind, name, count in ((a_letter, "a", na), (a_letter, "b", nb), (letter, "c", nc))
        for i in range(count)
    ]
    return f"""
extern "C" __global__ void apply(const {a_type}* a, const {a_type}* b, const {sums}* c, {sums}* d) {{
    int lane = threadIdx.x;
    asm volatile("{mma.instruction} {", ".join(groups)};" : {outputs} : {", ".join(inputs)});
}}"""


def element_codes(mma: Mma) -> tuple[Array, Array]:
    m, n, k = mma.size
    if mma.a == "f64":
        rng = np.random.default_rng(5)
        return rng.normal(size=(m, k)), rng.normal(size=(k, n))
    # Without their highest bit 8-bit floats are small enough for sums in f16.
    mask = 0xBF if mma.sums == "f16" and width(mma.a) == 8 else 0xFFFFFFFF
    return codes(mma.a, (m, k), 1) & mask, codes(mma.b, (k, n), 2) & mask


def start(mma: Mma) -> Array:
    """C: among integers some from where sums leave 32 bits."""
    m, n, _ = mma.size
    rng = np.random.default_rng(3)
    if mma.sums == "s32":
        values = rng.integers(-(1 << 31), 1 << 31, (m, n))
        values[0], values[1] = (1 << 31) - 1, -(1 << 31)
        return values.astype("i4")
    return rng.normal(0, 4, (m, n)).astype(_DTYPE[mma.sums])


def words_of(kind: str, elements: Array) -> Array:
    if kind == "f64":
        return elements
    return packed(elements, width(kind))


def case_of(mma: Mma, a: Array, b: Array, c: Array) -> tuple[str, Case]:
    bits = width(mma.a)
    a_words = words_of(mma.a, held(a, *A_PLACES[mma.shape, bits]))
    b_words = words_of(mma.b, held(b, *B_PLACES[mma.shape, bits]))
    c_held = held(c, mma.size[0] // 4, c_place)
    c_words = packed(c_held.view("u2"), 16) if mma.sums == "f16" else c_held
    arrays = {
        "a": a_words.ravel(),
        "b": b_words.ravel(),
        "c": c_words.ravel(),
        "d": np.zeros(c_words.size, c_words.dtype),
    }
    text = source(mma, (a_words.shape[1], b_words.shape[1], c_words.shape[1]))
    return compile_ptx(text), Case("", "apply", (1, 1, 1), (32, 1, 1), arrays)


def result(mma: Mma, outcome: Outcome) -> Array:
    m, n, _ = mma.size
    return spread(outcome.arrays["d"].view(_DTYPE[mma.sums]).reshape(32, -1), (m, n), c_place)


def expected(mma: Mma, a: Array, b: Array, c: Array) -> Array:
    """C and then the products in the order of k."""
    if mma.a == "b1":
        both = np.bitwise_xor if mma.ending == "xor" else np.bitwise_and
        return (c + both(a[:, :, None], b[None]).sum(axis=1)).astype("i8").astype("i4")
    left, right = (a, b) if mma.a == "f64" else (number(mma.a, a), number(mma.b, b))
    if mma.sums == "s32":
        exact = c.astype("i8") + left @ right
        limits = np.iinfo("i4")
        return (np.clip(exact, limits.min, limits.max) if mma.ending == "satfinite" else exact).astype("i4")
    sums = c.astype("f8")
    for k in range(left.shape[1]):
        sums = sums + left[:, k, None] * right[None, k]
    return sums.astype(_DTYPE[mma.sums])


@pytest.mark.parametrize("mma", MMAS, ids=str)
def test_products(mma: Mma) -> None:
    a, b = element_codes(mma)
    c = start(mma)
    got = result(mma, on_emulator(*case_of(mma, a, b, c)))
    wanted = expected(mma, a, b, c)
    if mma.sums == "f64":
        # The emulator fuses; NumPy rounds twice.
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)
    else:
        np.testing.assert_array_equal(got, wanted)


def test_satfinite_is_not_wrapping() -> None:
    wraps, stays = Mma("m16n8k32", "u8", "u8", "s32"), Mma("m16n8k32", "u8", "u8", "s32", "satfinite")
    a, b, c = np.full((16, 32), 255), np.full((32, 8), 255), np.full((16, 8), (1 << 31) - 1, "i4")
    outcomes = [result(mma, on_emulator(*case_of(mma, a, b, c)))[0, 0] for mma in (wraps, stays)]
    assert outcomes == [-(1 << 31) - 1 + 32 * 255**2, (1 << 31) - 1]


SPECIAL = {"f16": [0x7C00, 0xFC00, 0x7E00, 0x0001, 0x83FF], "bf16": [0x7F80, 0xFF80, 0x7FC0, 0x0001, 0x807F]}


@pytest.mark.parametrize("kind", list(SPECIAL))
def test_infinities_nan_and_subnormals(kind: str) -> None:
    mma = Mma("m16n8k16", kind, kind, "f32")
    a, b = element_codes(mma)
    a[:5, 3] = SPECIAL[kind]
    b[3, :5] = SPECIAL[kind]
    c = start(mma)
    got = result(mma, on_emulator(*case_of(mma, a, b, c)))
    with np.errstate(invalid="ignore"):
        wanted = expected(mma, a, b, c)
    np.testing.assert_array_equal(got, wanted)
    # A GPU has one NaN only.
    assert set(got.view("u4")[np.isnan(got)]) == {0x7FFFFFFF}


def test_sums_are_rounded_once() -> None:
    """2048 + 1 + 1 in halves: rounded at each step it would stay 2048."""
    mma = Mma("m16n8k8", "f16", "f16", "f16")
    a = np.zeros((16, 8), "f2")
    b = np.zeros((8, 8), "f2")
    a[:, :2] = 1
    b[:2] = 1
    c = np.full((16, 8), 2048, "f2")
    got = result(mma, on_emulator(*case_of(mma, a.view("u2"), b.view("u2"), c)))
    np.testing.assert_array_equal(got, np.full((16, 8), 2050, "f2"))


def test_f64_is_fused() -> None:
    """(1 + e)(1 - e) - 1 is -e^2, which a rounded product would lose."""
    mma = Mma("m8n8k4", "f64", "f64", "f64")
    a, b = np.zeros((8, 4)), np.zeros((4, 8))
    a[:, 0], b[0] = 1 + 2**-30, 1 - 2**-30
    got = result(mma, on_emulator(*case_of(mma, a, b, np.full((8, 8), -1.0))))
    np.testing.assert_array_equal(got, np.full((8, 8), -(2.0**-60)))


def test_tf32_ignores_the_low_bits() -> None:
    mma = Mma("m16n8k8", "tf32", "tf32", "f32")
    a, b = element_codes(mma)
    full, cut = (
        result(mma, on_emulator(*case_of(mma, x, b, start(mma)))) for x in (a | 0x1FFF, a & ~np.uint32(0x1FFF))
    )
    np.testing.assert_array_equal(full, cut)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda text: text.replace(".m16n8k8.", ".m16n8k4."),
        lambda text: text.replace(".row.col.", ".col.col."),
        lambda text: text.replace(".f32.f16.f16.f32", ".f32.f16.bf16.f32"),
        lambda text: text.replace(".f32.f16.f16.f32", ".s32.f16.f16.s32"),
        lambda text: text.replace("mma.sync", "mma.sp.sync"),
        lambda text: text.replace("{%4, %5}, ", "{%4}, "),
        lambda text: text.replace(".row.col.", ".row.col.satfinite."),
    ],
)
def test_what_does_not_exist_is_refused(wrong: Callable[[str], str]) -> None:
    mma = Mma("m16n8k8", "f16", "f16", "f32")
    text = source(mma, (2, 1, 4))
    assert wrong(text) != text
    _, case = case_of(mma, *element_codes(mma), start(mma))
    with pytest.raises(UnsupportedPtx, match="mma"):
        on_emulator(compile_ptx(wrong(text)), case)


def _lost(mma: Mma) -> float:
    """What a GPU's sum may miss, of the sum of its terms' magnitudes."""
    if mma.sums != "f32":
        return {"f64": 2**-50, "f16": 2**-9}[mma.sums]
    # Sums of 8-bit floats keep some 13 bits behind the largest term's first.
    return 2**-12 if width(mma.a) == 8 else 2**-20


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_present(), reason="no NVIDIA GPU")
@pytest.mark.parametrize("mma", MMAS, ids=str)
def test_products_on_hardware(mma: Mma) -> None:
    """Integers bit for bit; floats but for what a GPU cuts off of each term (docs/tensor-cores.md)."""
    a, b = element_codes(mma)
    c = start(mma)
    ptx, case = case_of(mma, a, b, c)
    # Some of the shapes came with compute capability 9.0.
    got = result(mma, on_gpu(ptx.replace(".target sm_89", ".target sm_90"), case))
    wanted = result(mma, on_emulator(ptx, case))
    if mma.sums == "s32":
        np.testing.assert_array_equal(got, wanted)
        return
    left, right = (a, b) if mma.a == "f64" else (number(mma.a, a), number(mma.b, b))
    terms = np.abs(c.astype("f8")) + np.abs(left) @ np.abs(right)
    assert (np.abs(got.astype("f8") - wanted) <= terms * _lost(mma)).all()
