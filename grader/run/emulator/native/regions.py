"""The kinds of access that are checked, and where the records of an array are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, RECORD_BYTES
from grader.run.emulator.native.ir import LANES, IrFunction
from grader.run.emulator.native.records import Kind
from grader.run.emulator.native.resolve import slot_entry, table_entry


@dataclass(frozen=True)
class CheckedAccess:
    """A kind of access: `count` components of `width` bytes in a space; granules are the bytes of a cell."""

    kind: Kind
    space: str
    width: int
    count: int
    shared_granule: int
    global_granule: int
    needed: int = -1
    """Which of the bytes read need a value, as bits: a struct's padding does not."""

    @property
    def size(self) -> int:
        return self.width * self.count

    @property
    def granule(self) -> int:
        """The bytes of a cell in the access's space."""
        return self.shared_granule if self.space == "shared" else self.global_granule

    @property
    def cells(self) -> int:
        """The number of cells of one lane's access."""
        return max(self.size // self.granule, 1)

    def kind_of(self, cell: int) -> Kind:
        """Returns the kind of access to one of its cells."""
        piece = min(self.granule, self.size)
        needed = self.needed >> cell * piece & ((1 << piece) - 1)
        return self.kind if needed else replace(self.kind, padding=True)

    @property
    def compares(self) -> bool:
        """Whether the values to be written are known, to compare with those in memory."""
        return self.kind.writes and not self.kind.atomic and not self.kind.deferred

    @property
    def name(self) -> str:
        needed = f"_{self.needed:x}" if self.needed >= 0 else ""
        return f"shadow_{self.kind.name}_{self.space}_{self.width}x{self.count}{needed}"

    @property
    def values(self) -> list[tuple[str, str]]:
        """The (type, name) of the arguments for the values to be written."""
        columns = range(self.count if self.compares else 0)
        return [(f"<{LANES} x i{8 * self.width}>", f"value{c}") for c in columns]


@dataclass(frozen=True)
class Region:
    """An array, as native values: its first address, its bytes, its first record (0: not watched), bytes of a plane."""

    base: str
    size: str
    records: str
    plane: str


def region_at(f: IrFunction, access: CheckedAccess, address: str) -> Region:
    """Returns the region of the array that holds an address."""
    if access.space == "shared":
        delta, base, size = table_entry(f, "shared", address, access.kind.writes)
        inner = f.let(f"sub i64 {delta}, {f.load('i64', '%ctx', CONTEXT['shared_host'])}")
        start = f.let(f"add i64 {base}, {inner}")
        cell = f.let(f"lshr i64 {start}, {log2(access.granule)}")
        shadow = f.let(
            f"add i64 {f.load('i64', '%ctx', CONTEXT['shadow'])}, {f.let(f'mul i64 {cell}, {RECORD_BYTES}')}"
        )
        return Region(base, size, shadow, f.load("i64", "%ctx", CONTEXT["plane"]))
    entry = slot_entry(f, "global", address)
    base, size = f.load("i64", entry, layout.ENTRY["base"]), f.load("i64", entry, layout.ENTRY["size"])
    whole = f.let(f"add i64 {size}, {access.granule - 1}")
    bytes_ = f.let(f"mul i64 {f.let(f'lshr i64 {whole}, {log2(access.granule)}')}, {RECORD_BYTES}")
    plane = f.let(f"and i64 {f.let(f'add i64 {bytes_}, 63')}, -64")
    return Region(base, size, f.load("i64", entry, layout.ENTRY["shadow"]), plane)


def log2(number: int) -> int:
    return number.bit_length() - 1
