"""Reads PTX text into functions, variables and instructions, for the yardstick that the emulator is compared with.

It checks no types and keeps no more than execution needs; names declared in an inner `{ }` are made unique.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

SIZES = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2, "b32": 4, "u32": 4, "s32": 4,
         "f32": 4, "f16x2": 4, "bf16x2": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16, "pred": 1}  # fmt: skip


@dataclass(frozen=True)
class Variable:
    name: str
    space: str
    align: int
    size: int
    initial: tuple[tuple[int, int | str], ...] = ()
    """Pairs of byte offset and value; a string names the symbol whose address stands there."""
    itemsize: int = 1


@dataclass(frozen=True)
class Instruction:
    opcode: str
    operands: tuple[str, ...]
    guard: str = ""
    line: int = 0
    text: str = ""

    @property
    def base(self) -> str:
        return self.opcode.partition(".")[0]

    @property
    def mods(self) -> tuple[str, ...]:
        return tuple(self.opcode.split(".")[1:])


@dataclass
class Function:
    name: str
    is_entry: bool
    params: list[Variable]
    returns: list[Variable]
    body: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)


@dataclass
class Module:
    functions: dict[str, Function]
    variables: dict[str, Variable]


def split(text: str) -> list[str]:
    """Cuts at the commas that stand outside all brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [p for p in parts if p]


def number(text: str) -> int | None:
    """The bits of an immediate, or None where the text is none; decimal fractions are left to the caller."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if re.fullmatch(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", digits):
        return int(digits[2:], 16)
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)U?", digits)
    if not match:
        return None
    digits = match[1]
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return sign * (int(digits, 8) if octal else int(digits, 0))


def declaration(text: str) -> Variable:
    """`.global .align 4 .b8 name[12] = {1, 2}` and the like."""
    head, _, values = text.partition("=")
    words = head.replace("[", " [", 1).split()
    space = next(w[1:] for w in words if w in (".global", ".const", ".shared", ".local", ".param"))
    kind = next(w[1:] for w in words if w[0] == "." and w[1:] in SIZES)
    align = int(words[words.index(".align") + 1]) if ".align" in words else SIZES[kind]
    name = next(w for w in words if w[0] not in ".[" and not w.isdigit())
    counts = [int(n) if n else 0 for n in re.findall(r"\[\s*(\d*)\s*\]", head)]
    size = SIZES[kind]
    for n in counts:
        size *= n
    initial: list[tuple[int, int | str]] = []
    plain = re.sub(r"generic\s*\(([^)]*)\)", r"\1", values).strip(" {}")
    for i, item in enumerate(split(plain.replace("{", "").replace("}", ""))):
        value = number(item)
        initial.append((i * SIZES[kind], item.replace(" ", "") if value is None else value))
    return Variable(name, space, align, size, tuple(initial), SIZES[kind])


def statements(text: str) -> list[str]:
    """Statements, block braces and labels in order. `{` opens a block only where a statement could start."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"\.section\s+\S+\s*\{[^}]*\}", "", text)
    text = re.sub(r"^\s*\.(version|target|address_size|file)\b[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"^(\s*\.loc\s+\d+\s+\d+\s+\d+)[^\n]*$", r"\1;", text, flags=re.M)
    found: list[str] = []
    pending = ""
    depth = 0
    for piece in re.split(r'("[^"]*"|[;{}]|[\w$%]+\s*:(?!:))', text):
        stripped = piece.strip()
        starts = not pending.strip()
        header = ".entry" in pending or (".func" in pending and ".callprototype" not in pending)
        if stripped == ";" and depth == 0:
            found.append(" ".join(pending.split()))
            pending = ""
        elif stripped == "{" and depth == 0 and (starts or header):
            found += [" ".join(pending.split()), "{"]
            pending = ""
        elif stripped == "}" and depth == 0:
            found += [" ".join(pending.split()), "}"]
            pending = ""
        elif stripped.endswith(":") and starts and depth == 0:
            found.append(stripped.replace(" ", ""))
        else:
            depth += (stripped == "{") - (stripped == "}")
            pending += piece
    return [s for s in found if s]


def parse(text: str) -> Module:
    module = Module({}, {})
    stream = statements(text)
    at = 0
    while at < len(stream):
        statement = stream[at]
        at += 1
        if ".entry" in statement or ".func" in statement:
            function = _header(statement)
            if stream[at : at + 1] == ["{"]:
                at = _body(function, stream, at)
            if function.body or function.name not in module.functions:
                module.functions[function.name] = function
        elif any(f".{space} " in statement for space in ("global", "const", "shared")):
            variable = declaration(statement)
            module.variables[variable.name] = variable
    return module


def _body(function: Function, stream: list[str], at: int) -> int:
    """Fills in the body that starts at the brace `stream[at]`; returns the place after its closing brace."""
    raw: list[tuple[str, tuple[dict[str, str], ...], int]] = []
    scopes: list[dict[str, str]] = []
    count = line = 0
    label = ""

    def declare(name: str) -> str:
        scopes[-1][name] = f"{name}@{count}" if len(scopes) > 1 else name
        return scopes[-1][name]

    while True:
        statement = stream[at]
        at += 1
        words = statement.split()
        if statement == "{":
            scopes.append({})
            count += 1
        elif statement == "}":
            scopes.pop()
            if not scopes:
                break
        elif statement.endswith(":"):
            label = declare(statement[:-1])
            function.labels[label] = len(raw)
        elif words[0] == ".loc":
            line = int(words[2])
        elif words[0] == ".branchtargets":
            function.tables[label] = tuple(split(statement.removeprefix(words[0])))
        elif words[0] == ".reg":
            for name in split(words[-1] if "," not in statement else statement.split(None, 2)[2]):
                if "<" not in name:
                    declare(name)
        elif words[0] in (".callprototype", ".pragma"):
            continue
        elif statement.startswith("."):
            function.variables.append(replace(v := declaration(statement), name=declare(v.name)))
        else:
            raw.append((statement, tuple(scopes), line))
    _resolve(function, raw)
    return at


def _header(statement: str) -> Function:
    statement = re.sub(r"\.(maxntid|minnctapersm|maxnreg|reqntid|noreturn|pragma)\b[^()]*$", "", statement)
    match = re.search(r"\.(entry|func)\s*(\([^)]*\))?\s*([\w$]+)\s*(\((.*?)\))?\s*", statement)
    if not match:
        raise ValueError(f"not a function header: {statement}")
    params = [declaration(p) for p in split(match[5] or "")]
    returns = [declaration(p) for p in split((match[2] or "()")[1:-1])]
    return Function(match[3], match[1] == "entry", params, returns)


NAME = re.compile(r"[%$A-Za-z_][\w$%]*(?:\.[xyz]\b)?")


def _resolve(function: Function, raw: list[tuple[str, tuple[dict[str, str], ...], int]]) -> None:
    for statement, scopes, line in raw:

        def unique(match: re.Match[str], scopes: tuple[dict[str, str], ...] = scopes) -> str:
            return next((s[match[0]] for s in reversed(scopes) if match[0] in s), match[0])

        guard = ""
        rest = statement
        if rest.startswith("@"):
            guard, _, rest = rest.partition(" ")
            if guard in ("@", "@!"):
                more, _, rest = rest.strip().partition(" ")
                guard += more
            guard = NAME.sub(unique, guard[1:])
        opcode, _, operands = rest.strip().partition(" ")
        parts = split(operands)
        resolved = tuple(NAME.sub(unique, p) for p in parts)
        function.body.append(Instruction(opcode, resolved, guard, line, statement))
