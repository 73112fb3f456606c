"""The words a grading can end in: verdicts, faults and kinds of wrong answer.

Every other module, the database and the pages use these words and no others.
"""

from __future__ import annotations

from enum import Enum


class Word(str, Enum):
    """A string with a fixed vocabulary; prints as its value."""

    def __str__(self) -> str:
        return str(self.value)


class Verdict(Word):
    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT_EXCEEDED = "time_limit_exceeded"
    MEMORY_LIMIT_EXCEEDED = "memory_limit_exceeded"
    REJECTED = "rejected"
    INTERNAL_ERROR = "internal_error"


class FaultClass(Word):
    """What a `runtime_error` was; the words of NVIDIA's compute-sanitizer where it has one."""

    OUT_OF_BOUNDS = "out_of_bounds"
    MISALIGNED = "misaligned"
    UNINITIALIZED_READ = "uninitialized_read"
    DATA_RACE = "data_race"
    BARRIER_DIVERGENCE = "barrier_divergence"
    DEADLOCK = "deadlock"
    ILLEGAL_INSTRUCTION = "illegal_instruction"
    TRAP = "trap"
    LAUNCH_FAILURE = "launch_failure"
    UNSUPPORTED_CALL = "unsupported_call"


class WrongKind(Word):
    """What kind of `wrong_answer` it was."""

    UNWRITTEN_OUTPUT = "unwritten_output"
    CHANGED_INPUT = "changed_input"
    WRONG_VALUE = "wrong_value"
    LOW_PRECISION = "low_precision"
    NOT_DETERMINISTIC = "not_deterministic"


class Form(Word):
    """The form of a submission: a kernel alone, or a file with its own `solve()`."""

    KERNEL = "kernel"
    SOLVE = "solve"
