"""What a Trace's memory holds before a step, as typed values: variables of threads, shared memory, arrays."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property

from grader.debug.c_types import (
    Array,
    CType,
    Member,
    Number,
    Pointer,
    Scalar,
    Struct,
    number_of,
    pointer_to,
    scalar_named,
)
from grader.debug.history import History, history_of
from grader.debug.values import EvaluationError, Place, Value
from grader.replay.memory import Image
from grader.replay.model import GLOBAL, LANES, SHARED, SPACES, VARIABLE, GlobalArray, SharedArray, Type
from grader.replay.trace import Trace
from grader.run.emulator import layout

BUILT_IN = "built-in"
"""The space of threadIdx and the like, which are nowhere in memory."""
DEEPEST_TYPE = 20
NEAR = 1 << 32
"""Bytes: an address so near to an array is one of its own, by a wrong index. Arrays are farther apart."""
_KEPT_IMAGES = 64
_UNSIGNED = Scalar("unsigned int", 4, "unsigned")
DIM3 = Struct("dim3", 12, tuple(Member(name, _UNSIGNED, 4 * at) for at, name in enumerate("xyz")))
BUILT_INS = ("threadIdx", "blockIdx", "blockDim", "gridDim")


class Recorded:
    """The memory of a Trace. Images of variables and of shared memory are kept for the steps asked for last."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._images: OrderedDict[tuple[str, int, int, int, int], Image] = OrderedDict()
        self._types: dict[int, CType] = {}
        self._recorded: dict[int, list[int]] = {}
        self._names: dict[tuple[int, int], dict[str, int]] = {}
        self._histories: dict[int, History | None] = {}

    def type_of(self, number: int, depth: int = 0) -> CType:
        """The type with this index in Trace.types; what is nested too deep, or points back to itself, is void."""
        if number in self._types:
            return self._types[number]
        if not 0 <= number < len(self.trace.types) or depth > DEEPEST_TYPE:
            return CType("void", 0)
        found = self._built(self.trace.types[number], depth)
        if depth == 0:
            self._types[number] = found
        return found

    def _built(self, type: Type, depth: int) -> CType:
        if type.kind == "pointer":
            to = None if type.element < 0 else self.type_of(type.element, depth + 1)
            return Pointer(type.name or pointer_to(to).name, type.size, to)
        if type.kind == "array":
            element = self.type_of(type.element, depth + 1)
            return Array(type.name, type.size, element, type.count)
        if type.kind in ("struct", "vector"):
            members = tuple(Member(one.name, self.type_of(one.type, depth + 1), one.offset) for one in type.members)
            return Struct(type.name, type.size, members)
        encoding = "bfloat" if type.encoding == "bfloat16" else type.encoding or "signed"
        return Scalar(type.name, type.size, encoding)

    @cached_property
    def types_by_name(self) -> dict[str, CType]:
        """The types that the kernel uses, by name, and CUDA's vectors of up to four components."""
        found: dict[str, CType] = _vectors()
        found |= {type.name: self.type_of(number) for number, type in enumerate(self.trace.types) if type.name}
        return found

    def names_at(self, step: int, thread: int, frame: int = 0) -> dict[str, int]:
        """The variables in scope where a thread stands, `frame` levels up, as indices of Trace.variables."""
        trace, (warps, masks, functions, lines) = self.trace, self._places
        warp, lane = divmod(thread, LANES)
        if frame == 0 and step < len(warps) and warps[step] == warp and masks[step] >> lane & 1:
            # Conditions ask at these steps, and often.
            here = (functions[step], lines[step])
        else:
            stack = trace.stack_at(step, thread)
            if frame >= len(stack):
                return {}
            here = (stack[frame].function, stack[frame].line)
        if here not in self._names:
            found = trace.variables_at(step, thread, frame)
            self._names[here] = {trace.variables[number].name: number for number in found}
        return self._names[here]

    @cached_property
    def _places(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """Returns the warp, the lanes, the function and the line of each step."""
        steps = self.trace.steps
        return steps.warp.tolist(), steps.mask.tolist(), steps.function.tolist(), steps.line.tolist()

    def variable(self, number: int, thread: int, frame: int = 0) -> Value:
        """One of Trace.variables in one thread, at a level of its stack."""
        declared = self.trace.variables[number]
        if declared.shared >= 0:
            return self.shared(declared.shared, thread)
        return Value(self.type_of(declared.type), place=Place(VARIABLE, number, 0, thread, frame))

    def shared(self, number: int, thread: int) -> Value:
        """One of Trace.shared, in the block of a thread."""
        declared = self.trace.shared[number]
        type = _shaped(self.type_of(declared.type), declared.shape)
        return Value(type, place=Place(SHARED, number, 0, thread))

    def array(self, number: int, thread: int) -> Value:
        """One of Trace.arrays, flat as a kernel sees it."""
        declared = self.trace.arrays[number]
        count = 1
        for extent in declared.shape:
            count *= extent
        return Value(_shaped(self.type_of(declared.type), (count,)), place=Place(GLOBAL, number, 0, thread))

    def built_ins(self) -> tuple[str, ...]:
        return BUILT_INS

    def built_in(self, name: str, thread: int) -> Value:
        return Value(DIM3, place=Place(BUILT_IN, BUILT_INS.index(name), 0, thread))

    def number_at(self, place: Place, type: CType, step: int) -> Number | None:
        """The number at a place before `step` runs; None if it has no value yet. Raises EvaluationError."""
        bits = self._bits(place, type.size, step)
        return None if bits is None else number_of(bits, type)

    def name_of(self, place: Place) -> str:
        """The name of the variable or array that a place is in."""
        trace = self.trace
        if place.space == BUILT_IN:
            return BUILT_INS[place.target]
        if place.space == VARIABLE:
            return trace.variables[place.target].name
        return self._declared(place).name

    def _declared(self, place: Place) -> SharedArray | GlobalArray:
        return self.trace.shared[place.target] if place.space == SHARED else self.trace.arrays[place.target]

    def element_name(self, place: Place) -> str:
        """Such as 'C[5]' for the sixth element of C."""
        if place.space == BUILT_IN or place.space == VARIABLE:
            return self.name_of(place)
        declared = self._declared(place)
        at, rest = divmod(place.offset, max(self.type_of(declared.type).size, 1))
        indices: list[int] = []
        for extent in reversed(declared.shape if place.space == SHARED else declared.shape[:0]):
            at, index = divmod(at, extent)
            indices.insert(0, index)
        words = "".join(f"[{index}]" for index in indices) if indices else f"[{at}]"
        return f"{declared.name}{words}" + (f" + {rest} bytes" if rest else "")

    def recorded_elements(self, array: int) -> list[int]:
        """The flat indices of the elements of an array that were recorded: those touched, and some beside them."""
        if array not in self._recorded:
            wide, trace = max(self.type_of(self.trace.arrays[array].type).size, 1), self.trace
            found = set(trace.arrays[array].elements)
            for accesses in (trace.writes, trace.reads):
                mine = (accesses.space == SPACES.index(GLOBAL)) & (accesses.target == array)
                found |= set((accesses.offset[mine] // wide).tolist())
            count = self.array(array, 0).type.size // wide
            self._recorded[array] = sorted(index for index in found if 0 <= index < count)
        return self._recorded[array]

    def at_address(self, address: int, thread: int) -> Place:
        """The place of a generic address. Raises EvaluationError."""
        arrays = [Place(GLOBAL, number, 0, thread) for number in range(len(self.trace.arrays))]
        arrays += [Place(SHARED, number, 0, thread) for number in range(len(self.trace.shared))]
        for place in arrays:
            one = self._declared(place)
            size = _shaped(self.type_of(one.type), one.shape).size
            if one.address and one.address <= address <= one.address + size:
                return place.moved(address - one.address)
        where = self._beside(address) or f"the address {address:#x} is in no array that the recorded block touched"
        if address >> layout.SLOT_BITS == layout.LOCAL_WINDOW >> layout.SLOT_BITS:
            where = "it is a local variable, whose address is not recorded; name it in the function that declares it"
        raise EvaluationError(f"nothing can be read there: {where if address else 'it is a null pointer'}")

    def _beside(self, address: int) -> str:
        """Words the element of a global array that an address beyond its end, or before its begin, would be."""
        for number, array in enumerate(self.trace.arrays):
            apart = address - array.address
            if array.address and -NEAR < apart < NEAR:
                width = max(self.type_of(array.type).size, 1)
                count = self.array(number, 0).type.size // width
                return f"index {apart // width} is outside of {array.name}, which has {count} elements"
        return ""

    def address_of(self, place: Place) -> int:
        """The generic address of a place. Raises EvaluationError for variables, whose addresses are not recorded."""
        if place.space in (GLOBAL, SHARED) and (base := self._declared(place).address):
            return base + place.offset
        raise EvaluationError(f"the address of {self.name_of(place)} is not recorded")

    def _bits(self, place: Place, size: int, step: int) -> int | None:
        if place.space == BUILT_IN:
            return self._built_in_values(place)[place.offset // 4]
        if place.space == GLOBAL:
            return self._bits_of_array(place, size, step)
        if place.space == VARIABLE and place.frame == 0 and (history := self._history(place.target, size)) is not None:
            return history.before(step, place.thread)
        image = self._image(place, step)
        if place.offset < 0 or place.offset + size > image.size:
            raise EvaluationError(f"this is outside of {self.name_of(place)}, which has {image.size} bytes")
        span = slice(place.offset, place.offset + size)
        if not image.known[span].all():
            return None
        return int.from_bytes(image.data[span].tobytes(), "little")

    def _built_in_values(self, place: Place) -> tuple[int, int, int]:
        trace, thread = self.trace, place.thread
        return (trace.thread_index(thread), trace.block_index(thread), trace.block_dim, trace.grid)[place.target]

    def _history(self, number: int, size: int) -> History | None:
        """The values of a scalar variable of the kernel; None for what needs its bytes, or its call."""
        if number not in self._histories:
            self._histories[number] = history_of(self.trace, number)
        found = self._histories[number]
        return found if found is not None and found.size == size else None

    def _image(self, place: Place, step: int) -> Image:
        block = place.thread // (self.trace.block_warps * LANES)
        key = (place.space, place.target, step, block if place.space == SHARED else place.thread, place.frame)
        if key not in self._images:
            if place.space == SHARED:
                for number, image in self.trace.shared_at(step, block).items():
                    self._images[SHARED, number, step, block, 0] = image
            else:
                self._images[key] = self.trace.variable_at(place.target, step, place.thread, place.frame)
            while len(self._images) > _KEPT_IMAGES + len(self.trace.shared):
                self._images.popitem(last=False)
        return self._images[key]

    def _bits_of_array(self, place: Place, size: int, step: int) -> int | None:
        array = self.trace.arrays[place.target]
        width = self.type_of(array.type).size
        whole = self.array(place.target, place.thread).type
        if place.offset < 0 or place.offset + size > whole.size:
            count = whole.size // width
            raise EvaluationError(
                f"index {place.offset // width} is outside of {array.name}, which has {count} elements"
            )
        first, last = place.offset // width, (place.offset + size - 1) // width
        found = self.trace.elements_at(place.target, step, range(first, last + 1))
        if len(found) <= last - first:
            return None
        bits = sum(found[first + at] << 8 * width * at for at in range(last - first + 1))
        return bits >> 8 * (place.offset % width) & ((1 << 8 * size) - 1)


def _shaped(element: CType, shape: tuple[int, ...]) -> CType:
    """An array of this shape, the last dimension innermost; the element itself for no dimension."""
    type = element
    for at, extent in enumerate(reversed(shape)):
        dimensions = "".join(f"[{each}]" for each in shape[len(shape) - 1 - at :])
        type = Array(f"{element.name}{dimensions}", type.size * extent, type, extent)
    return type


def _vectors() -> dict[str, CType]:
    found: dict[str, CType] = {"dim3": DIM3}
    names = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "longlong": "long long"}
    for base in ("char", "uchar", "short", "ushort", "int", "uint", "longlong", "float", "double"):
        scalar = scalar_named(names.get(base, base))
        if scalar is None:
            continue
        for count in (1, 2, 3, 4):
            members = tuple(Member(name, scalar, at * scalar.size) for at, name in enumerate("xyzw"[:count]))
            found[f"{base}{count}"] = Struct(f"{base}{count}", count * scalar.size, members)
    return found
