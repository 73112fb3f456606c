"""What a Report holds of a Trace: a few sentences, and the trace packed for its page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator

from grader.core.report import Replay
from grader.replay.cutting import variables_of
from grader.replay.model import DEBUG, GLOBAL, LANES, SHARED, VARIABLE
from grader.replay.packing import pack
from grader.replay.trace import Trace

LARGEST = 1_800_000
"""Characters of a packed trace: with the rest, a page stays below 2 MB."""
FEW_VARIABLES = "Variables are those of {warps} alone: with all of them the page is too large. kgrade debug shows them."
TOO_LARGE = "The recording of {steps:,} steps is too large for a page; kgrade debug steps through it."


def summarize(trace: Trace, largest: int = LARGEST) -> Replay:
    """The trace for a Report; of one that is too large for a page only a part, or its sentences."""
    if not len(trace):
        return Replay(_subject(trace), tuple(_causes(trace)), ending="No step was recorded.", remarks=trace.remarks)
    remarks = trace.remarks
    # The step of the first mark, else the last one.
    step = next((mark.step for mark in trace.marks if mark.step >= 0), len(trace) - 1)
    packed = b64encode(pack(trace)).decode()
    if len(packed) > largest:
        warps = _warps_at(trace, step)
        words = " and ".join(map(str, warps))
        packed = b64encode(pack(variables_of(trace, warps))).decode()
        remarks = (*trace.remarks, FEW_VARIABLES.format(warps=f"warp {words}" if len(warps) == 1 else f"warps {words}"))
    if len(packed) > largest:
        packed = ""
        remarks = (*trace.remarks, TOO_LARGE.format(steps=len(trace)))
    return Replay(
        subject=_subject(trace),
        causes=tuple(_causes(trace)),
        marks=tuple(dict.fromkeys(mark.kind for mark in trace.marks if mark.step >= 0)),
        step=step + 1,
        place=_place(trace, step),
        ending=_ending(trace, step),
        remarks=remarks,
        packed=packed,
    )


def _warps_at(trace: Trace, step: int) -> list[int]:
    """The warps of the mark in this step, both of a race; without a mark the warp at work."""
    mark = next((each for each in trace.marks if each.step == step), None)
    threads = () if mark is None else (mark.thread, mark.other_thread)
    return sorted({thread // LANES for thread in threads if thread >= 0} or {int(trace.steps.warp[step])})


def _causes(trace: Trace) -> Iterator[str]:
    """The first mark of each kind as a sentence, with how many more there are."""
    for kind in dict.fromkeys(mark.kind for mark in trace.marks):
        words = list(dict.fromkeys(mark.words for mark in trace.marks if mark.kind == kind))
        # A name of the kernel's stays as it is written.
        first = re.sub(r"^[a-z](?=[a-z]* )", lambda letter: letter[0].upper(), words[0]).removesuffix(".")
        yield f"{first}. There are {len(words) - 1} more like it." if len(words) > 2 else f"{first}."


def _subject(trace: Trace) -> str:
    blocks = " and ".join(f"({', '.join(map(str, block))})" for block in trace.blocks)
    noun = "Blocks" if len(trace.blocks) > 1 else "Block"
    values = {**trace.sizes, **trace.scalars}
    given = " ".join(
        f"{name}={f'{value:.9g}' if isinstance(value, float) else value}" for name, value in values.items()
    )
    build = "built with its debug information" if trace.build == DEBUG else "built as it was graded"
    return f"{noun} {blocks} of {trace.kernel}{f' with {given}' if given else ''}, {build}"


def _place(trace: Trace, step: int) -> str:
    steps = trace.steps
    lanes = _several(int(steps.mask[step]).bit_count(), "lane")
    return f"step {step + 1:,} of {len(trace):,}: {lanes} of warp {steps.warp[step]} at line {steps.line[step]}"


def _ending(trace: Trace, step: int) -> str:
    line = int(trace.steps.line[step])
    lines = trace.files[int(trace.steps.file[step])].lines if trace.files else ()
    text = f": {lines[line - 1].strip()}" if 0 < line <= len(lines) else ""
    done = ", ".join(_done(trace, step))
    return f"{_place(trace, step).capitalize()}{text}{f' – {done}' if done else ''}."


def _done(trace: Trace, step: int) -> Iterator[str]:
    """What the step's lanes read and wrote of arrays, by array."""
    arrays = {
        SHARED: [array.name for array in trace.shared],
        GLOBAL: [array.name for array in trace.arrays],
        VARIABLE: [],
    }
    for word, accesses in (("reads", trace.reads_in(step)), ("writes", trace.writes_in(step))):
        names = [arrays[each.space][each.target] for each in accesses if arrays[each.space]]
        for name in dict.fromkeys(names):
            yield f"{word} {_several(names.count(name), 'element')} of {name}"


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
