"""Where the threads of a block that has not ended are: for time limits, and for blocks that wait for ever."""

from __future__ import annotations

from collections import Counter

from grader.run.emulator.arena import Arena
from grader.run.emulator.faults import Fault
from grader.run.emulator.translate.cfg import is_block_barrier, is_matrix, synchronises


def lines_of(arena: Arena) -> Counter[int]:
    """Source lines of the threads that have not exited, with their numbers."""
    blocks = arena.shape.translation.program.blocks
    found: Counter[int] = Counter()
    for _, _, counter, ready in arena.waiting():
        # Those that run weigh more than those that wait: they are what the block waits for.
        found[blocks[counter].line] += 1000 if ready else 1
    return found


def deadlock_of(arena: Arena) -> Fault:
    """The fault of a block whose threads all wait, told by the first of them."""
    program = arena.shape.translation.program
    places: Counter[tuple[int, str]] = Counter()
    masked: dict[tuple[int, str], bool] = {}
    threads: list[tuple[int, int]] = []
    for warp, lane, counter, _ in arena.waiting():
        threads.append((warp, lane))
        before = program.blocks[counter - 1].instructions[-1:] if counter else []
        at_barrier = bool(before) and is_block_barrier(before[0])
        here = before[0] if at_barrier else program.blocks[counter].instructions[0]
        places[here.line, here.text] += 1
        if synchronises(here):
            masked[here.line, here.text] = is_matrix(here)
    waits = "; ".join(f"{n} at line {line} ({text})" for (line, text), n in places.most_common(4))
    line, text = next(iter(masked)) if masked else places.most_common(1)[0][0]
    message = f"the block's {len(threads)} threads wait for each other for ever: {waits}"
    if masked:
        takes = "takes all lanes of a warp, some of which" if masked[line, text] else "names lanes in its mask that"
        message += f"; line {line} {takes} never come there"
    return Fault(
        "barrier_divergence" if masked else "deadlock",
        message,
        line=line,
        kernel=program.kernel,
        block=arena.block_index(),
        thread=arena.thread_index(*threads[0]),
        threads=len(threads),
        instruction=text,
    )
