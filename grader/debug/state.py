"""What a protocol session knows: its launch and debugger, and what the numbers that it gave to the client stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.debug.arguments import Arguments, RequestError
from grader.debug.breakpoints import Breakpoint
from grader.debug.debugger import Debugger, Stop
from grader.debug.launch import Launch, Recorder
from grader.debug.restart import restarted
from grader.debug.scope import ThreadScope
from grader.debug.values import Value
from grader.replay.model import Dim3

MOST_HANDLES = 100_000
"""What may be opened between two stops."""


@dataclass(frozen=True)
class Opened:
    """What a variablesReference stands for: a value to open, or all of a list of named values."""

    scope: ThreadScope
    value: Value | None = None
    expression: str = ""
    named: tuple[tuple[str, Value], ...] = ()


@dataclass
class State:
    """`send` sends an event. `given` is the command line's launch, None if the client says what to debug."""

    send: Callable[[str, dict[str, Any]], None]
    record: Recorder
    given: Launch | None = None
    launch: Launch | None = None
    debugger: Debugger | None = None
    stop: Stop | None = None
    stops_on_entry: bool = False
    first_line: int = 1
    first_column: int = 1
    ended: bool = False
    later: Callable[[], None] | None = None
    """What a request still does once it has been answered: a client expects a stop after the answer."""
    frames: dict[int, tuple[int, int]] = field(default_factory=dict)
    opened: dict[int, Opened] = field(default_factory=dict)
    _numbers: int = 0

    def needed(self) -> Debugger:
        """The debugger. Raises RequestError before a launch and after the end."""
        if self.debugger is None:
            raise RequestError("nothing is debugged yet: send launch first")
        if self.ended:
            raise RequestError("this session has ended; restart it, or start a new one")
        return self.debugger

    def renew(self, launch: Launch) -> list[Breakpoint]:
        """Records anew, and returns the breakpoints at which no thread of the new recording stops."""
        if self.debugger is None:
            raise RequestError("nothing is debugged yet: send launch first")
        debugger, dropped = restarted(self.debugger, self.record(launch, self.say))
        self.launch, self.debugger, self.ended = launch, debugger, False
        return dropped

    def enter(self, block: Dim3) -> list[Breakpoint]:
        """Records another block of the same launch, and stands before its first step; returns as `renew`."""
        if self.launch is None:
            raise RequestError("nothing is debugged yet: send launch first")
        dropped = self.renew(replace(self.launch, block=block))
        self.needed().step = 0
        return dropped

    def say(self, text: str, category: str = "console") -> None:
        """Shows a line in the client's console."""
        self.send("output", {"category": category, "output": text + "\n"})

    def moved(self, stop: Stop) -> None:
        """Tells the client of a stop; what it had opened is gone."""
        debugger = self.needed()
        self.frames.clear()
        self.opened.clear()
        self.stop = stop
        body: dict[str, Any] = {
            "reason": stop.reason,
            "threadId": debugger.thread + 1,
            "allThreadsStopped": True,
        }
        if stop.words:
            # Clients show the description beside the thread's name.
            short = stop.words if stop.mark is None else stop.mark.kind.replace("_", " ")
            body |= {"description": short, "text": stop.words}
        if stop.hit:
            body["hitBreakpointIds"] = list(stop.hit)
        self.send("stopped", body)

    def frame_number(self, thread: int, frame: int) -> int:
        """A new number for a frame."""
        self._numbers += 1
        self.frames[self._numbers] = (thread, frame)
        return self._numbers

    def open_number(self, opened: Opened) -> int:
        """A new number for what can be opened."""
        if len(self.opened) >= MOST_HANDLES:
            raise RequestError(f"more than {MOST_HANDLES:,} variables were opened at this stop; step on")
        self._numbers += 1
        self.opened[self._numbers] = opened
        return self._numbers

    def scope_of(self, arguments: Arguments) -> ThreadScope:
        """The scope of the frame that a request names; of the current thread if it names none. Raises RequestError."""
        debugger = self.needed()
        if not arguments.has("frameId"):
            return debugger.scope()
        number = arguments.integer("frameId")
        if number not in self.frames:
            raise RequestError(f"frame {number} is of an earlier stop; ask for the stack again")
        thread, frame = self.frames[number]
        return debugger.scope(frame, thread)

    def thread_of(self, arguments: Arguments) -> int:
        """The thread that a request names. Raises RequestError."""
        trace, number = self.needed().trace, arguments.integer("threadId")
        thread = number - 1
        stride = trace.block_warps * 32
        if not 0 <= thread < stride * len(trace.blocks) or thread % stride >= trace.block_threads:
            raise RequestError(f"there is no thread {number}; ask for threads")
        return thread

    def source(self, file: int) -> dict[str, Any]:
        """A file as the protocol describes it: by its path where it is the one on disk, else by a number."""
        files = self.needed().trace.files
        if not 0 <= file < len(files):
            return {"name": "unknown"}
        name = files[file].name
        if path := self.path_of(file):
            return {"name": Path(name).name, "path": path}
        return {"name": Path(name).name, "sourceReference": file + 1}

    def path_of(self, file: int) -> str:
        """The path on disk of a recorded file, "" if it is not the launch's own file."""
        launch = self.launch
        if launch is None or not launch.file or launch.submission is not None or file != self.main_file():
            return ""
        return str(Path(launch.file).absolute())

    def main_file(self) -> int:
        """The index of the submission's own text."""
        files, launch = self.needed().trace.files, self.launch
        name = Path(launch.file).name if launch is not None else ""
        return next((at for at, file in enumerate(files) if Path(file.name).name == name), 0)

    def file_of(self, source: Arguments) -> int | None:
        """The index of the file that a client means; None for one that is not in the recording."""
        files = self.needed().trace.files
        if number := source.integer("sourceReference", 0):
            return number - 1 if number <= len(files) else None
        path = source.text("path", source.text("name", ""))
        if "\0" in path:
            return None
        own = self.path_of(self.main_file())
        if own and _same(path, own):
            return self.main_file()
        return next((at for at, file in enumerate(files) if Path(file.name).name == Path(path).name), None)


def _same(path: str, other: str) -> bool:
    try:
        return Path(path).resolve() == Path(other).resolve()
    except (OSError, RuntimeError, ValueError):
        return False
