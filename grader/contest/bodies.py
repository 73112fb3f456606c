"""Parses request bodies, flat JSON objects and forms, in time linear in their length.

Bodies are untrusted. Everything here is a search or a split in Python's own C code and gives up after a few fields; no
general JSON or form parser sees them. Fields are validated elsewhere.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from urllib.parse import parse_qsl

MOST_FIELDS = 24
LARGEST_PLAIN_FORM = 64 << 10
"""Largest URL-encoded form in bytes: decoding its percent signs is slowest."""
_LARGEST_HEAD = 4096

_BLANK = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"-?[0-9]{1,25}(?:\.[0-9]{1,25})?(?:[eE][-+]?[0-9]{1,3})?|true|false|null|-?Infinity|NaN")
_BOUNDARY = re.compile(r'\bboundary="?([^\s";,]{1,70})')
_NAME = re.compile(rb';[ \t]*(name|filename)="([^"\r\n]*)"')


class Unreadable(ValueError):
    """The body does not match its content type."""


@dataclass
class Fields:
    """A form's fields: texts by name, and each uploaded file's name and content."""

    texts: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)


def flat_object(data: bytes) -> dict[str, object]:
    """Parses a JSON object of strings, numbers, true, false and null. Raises JSONDecodeError for anything else."""
    text = data.decode("utf-8", "surrogatepass")
    found: dict[str, object] = {}
    at = _expect(text, 0, "{")
    if text.startswith("}", at):
        at = _after_blank(text, at + 1)
    else:
        more = True
        while more:
            if len(found) == MOST_FIELDS:
                raise json.JSONDecodeError("Too many fields", "", at)
            key, at = scanstring(text, _expect(text, at, '"', blank=False), True)
            at = _expect(text, _after_blank(text, at), ":")
            found[key], at = _value(text, at)
            at = _after_blank(text, at)
            more = text.startswith(",", at)
            at = _after_blank(text, at + 1) if more else _expect(text, at, "}")
    if at != len(text):
        raise json.JSONDecodeError("Extra data", "", at)
    return found


def _value(text: str, at: int) -> tuple[object, int]:
    if text.startswith('"', at):
        value, end = scanstring(text, at + 1, True)
        return value, end
    scalar = _SCALAR.match(text, at)
    if scalar is None:
        raise json.JSONDecodeError("Expecting a text, a number, true, false or null", "", at)
    return json.loads(scalar[0]), scalar.end()


def _expect(text: str, at: int, sign: str, *, blank: bool = True) -> int:
    at = _after_blank(text, at)
    if not text.startswith(sign, at):
        raise json.JSONDecodeError(f"Expecting '{sign}'", "", at)
    return _after_blank(text, at + 1) if blank else at + 1


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def form_fields(kind: str, data: bytes) -> Fields:
    """Parses a form with the content type `kind`. Raises Unreadable."""
    if kind.lower().startswith("multipart/form-data"):
        boundary = _BOUNDARY.search(kind)
        if boundary is None:
            raise Unreadable("no boundary")
        return _parts(data, boundary[1].encode("latin-1", "replace"))
    if len(data) > LARGEST_PLAIN_FORM:
        raise Unreadable("too large for a form that is not sent in parts")
    pairs = parse_qsl(data.decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="replace")
    return Fields(dict(pairs))


def _parts(data: bytes, boundary: bytes) -> Fields:
    first, *parts = (b"\r\n" + data).split(b"\r\n--" + boundary, MOST_FIELDS + 1)
    if first or not parts or len(parts) > MOST_FIELDS or not parts[-1].startswith(b"--"):
        raise Unreadable("not a form in parts")
    found = Fields()
    for part in parts[:-1]:
        head, blank, content = part.partition(b"\r\n\r\n")
        if not blank or len(head) > _LARGEST_HEAD:
            raise Unreadable("a part without a head")
        names = {key: value.decode("utf-8", "replace") for key, value in _NAME.findall(head)}
        if b"filename" in names:
            found.files[names.get(b"name", "")] = names[b"filename"], content
        else:
            found.texts[names.get(b"name", "")] = content.decode("utf-8", "replace")
    return found
