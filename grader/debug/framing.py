"""The framing of the Debug Adapter Protocol: a header with the length, an empty line, and that many bytes of JSON.

https://microsoft.github.io/debug-adapter-protocol/overview. What a message means is left to `session`.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

LONGEST_HEADER = 4096
LONGEST_BODY = 4 << 20
"""Bytes. A client's longest message lists the breakpoints of a file."""


class BrokenFrame(Exception):
    """Bytes after which nobody can say where the next message begins: the connection has to end."""


class BrokenMessage(Exception):
    """A message of the right length that is no JSON object: it is refused, and the next one can be read."""


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message, None at the end of the stream. Raises BrokenFrame and BrokenMessage."""
    length = _read_header(stream)
    if length is None:
        return None
    body = _read_exactly(stream, length)
    try:
        # Numbers such as NaN are not JSON, and a client that sends one could not read it back.
        message = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise BrokenMessage("this message is not JSON in UTF-8") from None
    if not isinstance(message, dict):
        raise BrokenMessage("a message is a JSON object, such as {'seq': 1, 'type': 'request', 'command': 'threads'}")
    return message


def write_message(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Writes one message and flushes."""
    body = json.dumps(message, ensure_ascii=True, allow_nan=False).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()


def _read_header(stream: BinaryIO) -> int | None:
    """The announced length of the body in bytes, None if the stream has ended before a header began."""
    length, budget = None, LONGEST_HEADER
    first = True
    while True:
        line = stream.readline(budget)
        if not line:
            if first:
                return None
            raise BrokenFrame("the stream ends inside of a header")
        budget -= len(line)
        if not line.endswith(b"\n") or budget <= 0:
            raise BrokenFrame(f"a header has at most {LONGEST_HEADER} bytes, and each of its lines ends")
        first = False
        line = line.strip()
        if not line:
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = _length(value.strip())
        elif name.strip().lower() != b"content-type":
            # A page in a browser could post a message to a port: HTTP has a Content-Length too.
            raise BrokenFrame(f"{name[:20].decode('ascii', 'replace')!r} is no header of the protocol")
    if length is None:
        raise BrokenFrame("a header without Content-Length; expected is Content-Length: NUMBER and an empty line")
    return length


def _length(digits: bytes) -> int:
    # isdigit() of bytes knows ASCII digits only; the first test keeps int() from numbers of any length.
    if len(digits) > 10 or not digits.isdigit() or int(digits) > LONGEST_BODY:
        shown = digits[:20].decode("ascii", "replace")
        raise BrokenFrame(f"Content-Length: {shown} is no number from 0 to {LONGEST_BODY}")
    return int(digits)


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    parts: list[bytes] = []
    while length:
        part = stream.read(length)
        if not part:
            raise BrokenFrame("the stream ends inside of a message")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)
