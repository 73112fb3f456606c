"""What names mean where a thread stands: its variables, shared memory, the launch's arrays, threadIdx and the like."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from grader.debug.c_types import INT, Array, CType, Pointer, Scalar, converted, pointer_to
from grader.debug.recorded import BUILT_INS, Recorded
from grader.debug.values import EvaluationError, Value


@dataclass(frozen=True)
class ThreadScope:
    """A thread before `step` runs; `frame` 0 is the innermost function, 1 its caller."""

    memory: Recorded
    step: int
    thread: int
    frame: int = 0

    def named(self, name: str) -> Value:
        if name in BUILT_INS:
            return self.memory.built_in(name, self.thread)
        if name == "warpSize":
            return Value(INT, 32)
        trace = self.memory.trace
        if (found := self.variables().get(name)) is not None:
            return self.memory.variable(found, self.thread, self.frame)
        for number, shared in enumerate(trace.shared):
            if shared.name == name:
                return self.memory.shared(number, self.thread)
        for number, array in enumerate(trace.arrays):
            if array.name == name:
                return self.memory.array(number, self.thread)
        raise EvaluationError(f"there is no {name[:60]} here{self._nearest(name)}")

    def variables(self) -> dict[str, int]:
        """The variables of the function by name, as indices of Trace.variables."""
        return self.memory.names_at(self.step, self.thread, self.frame)

    def names(self) -> list[str]:
        """All names that mean something here."""
        trace = self.memory.trace
        found = list(self.variables())
        found += [each.name for each in trace.shared] + [each.name for each in trace.arrays]
        return list(dict.fromkeys([*found, *BUILT_INS, "warpSize"]))

    def type_named(self, name: str) -> CType | None:
        return self.memory.types_by_name.get(name)

    def load(self, value: Value) -> Value:
        if value.place is None:
            return value
        if isinstance(value.type, Array):
            return Value(pointer_to(value.type.element), self.memory.address_of(value.place))
        if not isinstance(value.type, (Scalar, Pointer)):
            return value
        number = self.memory.number_at(value.place, value.type, self.step)
        if number is None:
            raise EvaluationError(f"{self.memory.name_of(value.place)} has no value here yet")
        return Value(value.type, number)

    def at_address(self, address: int, type: CType | None) -> Value:
        place = self.memory.at_address(int(converted(address, Pointer("void*", 8))), self.thread)
        if type is None or not type.size:
            raise EvaluationError("what a pointer to void points to has no type; cast it first, as in *(float*)p")
        return Value(type, place=place)

    def address_of(self, value: Value) -> int:
        if value.place is None:
            raise EvaluationError(f"a {value.type.name} that was computed has no address")
        return self.memory.address_of(value.place)

    def _nearest(self, name: str) -> str:
        near = get_close_matches(name, self.names(), 1)
        return f"; did you mean {near[0]}?" if near else ""
