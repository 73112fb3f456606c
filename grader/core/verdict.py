"""The possible outcomes of grading: verdicts, faults and kinds of wrong answer.

Every other module, the database and the pages use these words and no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Word(str, Enum):
    """A string with a fixed vocabulary; prints as its value."""

    def __str__(self) -> str:
        return str(self.value)


class Tone(Word):
    """The colour of a verdict wherever it is shown: green, amber or red."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


class Icon(Word):
    """The icon beside a verdict on a page."""

    TICK = "tick"
    CROSS = "cross"
    CLOCK = "clock"
    MARK = "mark"


@dataclass(frozen=True)
class Facts:
    """The properties of a verdict.

    `lead` begins the headline of a case with this verdict. `meaning` explains it to a student if neither a fault nor
    a kind of wrong answer says more. If it `ends_grading`, no further case runs: each would take as long or fail the
    same way. `exit_code` is the exit code of commands that grade.
    """

    lead: str
    tone: Tone
    icon: Icon
    exit_code: int = 1
    ends_grading: bool = False
    meaning: str = ""


class Verdict(Word):
    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT_EXCEEDED = "time_limit_exceeded"
    MEMORY_LIMIT_EXCEEDED = "memory_limit_exceeded"
    REJECTED = "rejected"
    INTERNAL_ERROR = "internal_error"

    @property
    def facts(self) -> Facts:
        return FACTS[self]


FACTS: Mapping[Verdict, Facts] = {
    Verdict.ACCEPTED: Facts("Accepted", Tone.GOOD, Icon.TICK, exit_code=0),
    Verdict.WRONG_ANSWER: Facts("Wrong answer", Tone.BAD, Icon.CROSS),
    Verdict.COMPILE_ERROR: Facts("Does not compile", Tone.BAD, Icon.CROSS),
    Verdict.RUNTIME_ERROR: Facts("Fails", Tone.BAD, Icon.CROSS, ends_grading=True),
    Verdict.TIME_LIMIT_EXCEEDED: Facts(
        *("Too slow or endless", Tone.WARN, Icon.CLOCK),
        ends_grading=True,
        meaning="Usual causes: a loop whose end is never reached because its counter does not change, a thread that "
        "waits for a value that no other thread writes, or in Python a kernel that takes its compiler too long.",
    ),
    Verdict.MEMORY_LIMIT_EXCEEDED: Facts(
        *("Too much memory", Tone.WARN, Icon.CLOCK),
        ends_grading=True,
        meaning="Usual causes: a large array local to each thread, or more scratch memory than a case may take.",
    ),
    Verdict.REJECTED: Facts("Rejected", Tone.BAD, Icon.CROSS, ends_grading=True),
    Verdict.INTERNAL_ERROR: Facts(
        *("The judge failed", Tone.WARN, Icon.MARK),
        exit_code=3,
        ends_grading=True,
        meaning="This is a failure of the judge, not of your kernel. It does not count; please try again.",
    ),
}
"""To add a verdict, add a word above and a row here."""


class FaultClass(Word):
    """The cause of a `runtime_error`, named as in NVIDIA's compute-sanitizer where it has a name."""

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
    """The kind of a `wrong_answer`."""

    UNWRITTEN_OUTPUT = "unwritten_output"
    CHANGED_INPUT = "changed_input"
    WRONG_VALUE = "wrong_value"
    LOW_PRECISION = "low_precision"
    NOT_DETERMINISTIC = "not_deterministic"


class LanguageName(Word):
    """The language that a submission is written in."""

    CUDA = "cuda"
    TRITON = "triton"
    CUTILE = "cutile"
    CUTE = "cute"
    NUMBA = "numba"


class Form(Word):
    """The form of a submission: a kernel alone, or a file with its own `solve()`."""

    KERNEL = "kernel"
    SOLVE = "solve"
