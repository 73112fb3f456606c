"""Parses a PTX module (PTX ISA 9.0, as NVRTC and nvcc emit it, and as inline assembly adds to it).

It accepts all instructions; the translator decides which are supported.
"""

from __future__ import annotations

import re
from math import prod

from grader.run.emulator.ptx.lexer import PtxSyntaxError, tokens
from grader.run.emulator.ptx.lines import SourceLines
from grader.run.emulator.ptx.operands import OperandParser, Token, parse_number
from grader.run.emulator.ptx.scopes import Scope
from grader.run.emulator.ptx.syntax import (
    Bounds,
    Function,
    Instruction,
    Label,
    Parameter,
    PtxModule,
    Register,
)
from grader.run.emulator.ptx.types import TYPES
from grader.run.emulator.ptx.variables import parse_parameter, parse_variable

_LINKAGE = {".visible", ".extern", ".weak", ".common"}
_SPACES = {".global", ".const", ".shared", ".local"}
_REGISTER_RANGE = re.compile(r"<(\d+)>")
_MOST_REGISTERS = 1 << 18
_MOST_DEPTH = 64
"""Depth of nested blocks: each asm statement is a block, and those of inlined functions are siblings."""
_LONGEST_TEXT = 64 << 20
_LONGEST_SHOWN = 400


def parse_module(text: str) -> PtxModule:
    """Parses the text of a PTX module. Raises PtxSyntaxError."""
    return _Parser(text).module()


class _Parser:
    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST_TEXT:
            raise PtxSyntaxError(f"the PTX text has {len(text):,} characters; the emulator reads {_LONGEST_TEXT:,}")
        self._text = text
        self._tokens = [t for t in tokens(text) if t[0] != "directive" or t[1].startswith(".loc")]
        self._at = 0
        self._lines = SourceLines(text)
        self._used = -1
        self._line = 0
        self._depth = 0
        self._registers_left = _MOST_REGISTERS

    def _peek(self, ahead: int = 0) -> str:
        index = self._at + ahead
        return self._tokens[index][1] if index < len(self._tokens) else ""

    def _next(self) -> tuple[str, str, int]:
        if self._at >= len(self._tokens):
            raise PtxSyntaxError("the PTX text ends early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _until(self, *marks: str) -> list[Token]:
        """Returns the tokens up to one of `marks` outside brackets; the mark stays unread."""
        found: list[Token] = []
        depth = 0
        while depth or self._peek() not in marks:
            kind, text, _ = self._next()
            depth += (text in "([{") - (text in ")]}") if kind == "mark" else 0
            found.append((kind, text))
        return found

    def module(self) -> PtxModule:
        functions: dict[str, Function] = {}
        variables = {}
        while self._at < len(self._tokens):
            linkage = set()
            while self._peek() in _LINKAGE:
                linkage.add(self._next()[1])
            head = self._peek()
            if head in (".entry", ".func"):
                function = self._function()
                known = functions.get(function.name)
                if known is not None and known.body is not None and function.body is not None:
                    raise PtxSyntaxError(f"function {function.name} is defined twice")
                if function.name not in functions or function.body is not None:
                    functions[function.name] = function
            elif head in _SPACES:
                statement = self._until(";")
                self._next()
                variable = parse_variable(statement, extern=".extern" in linkage)
                variables[variable.name] = variable
            elif head.startswith(".section"):
                self._section()
            elif self._tokens[self._at][0] == "directive":
                self._next()
            else:
                self._until(";")
                self._next()
        return PtxModule(functions, variables)

    def _section(self) -> None:
        while self._peek() != "{":
            self._next()
        depth = 0
        while True:
            text = self._next()[1]
            depth += (text == "{") - (text == "}")
            if depth == 0:
                return

    def _parameters(self) -> tuple[Parameter, ...]:
        if self._peek() != "(":
            return ()
        self._next()
        found = []
        while self._peek() != ")":
            found.append(parse_parameter(self._until(",", ")")))
            if self._peek() == ",":
                self._next()
        self._next()
        return tuple(found)

    def _function(self) -> Function:
        entry = self._next()[1] == ".entry"
        results = self._parameters() if self._peek() == "(" else ()
        name = self._next()[1]
        function = Function(name, entry, self._parameters(), results)
        names = [parameter.name for parameter in (*function.parameters, *results)]
        if len(set(names)) < len(names):
            raise PtxSyntaxError(f"two parameters of function {name} have one name")
        function.bounds = self._bounds()
        if self._next()[1] == "{":
            function.body = []
            self._line = 0
            self._block(function, Scope(names))
        return function

    def _bounds(self) -> Bounds:
        """Reads the performance directives before a function's body; those that only tune the code are ignored."""
        found: dict[str, tuple[int, ...]] = {}
        while self._peek() not in ("{", ";"):
            directive = self._next()[1]
            numbers = []
            while self._tokens[self._at : self._at + 1] and self._tokens[self._at][0] == "number":
                numbers.append(parse_number(self._next()[1]).value)
                if self._peek() == ",":
                    self._next()
            found[directive] = tuple(numbers)
        reqntid, cluster = found.get(".reqntid", ()), found.get(".reqnctapercluster", ())
        return Bounds(prod(found[".maxntid"]) if ".maxntid" in found else 0, reqntid, cluster)

    def _block(self, function: Function, scope: Scope) -> None:
        """Reads statements up to the closing brace.

        Labels may be used before they appear, so their names are bound first.
        """
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise PtxSyntaxError(f"more than {_MOST_DEPTH} blocks in blocks, in function {function.name}")
        scope.bind_labels(self._labels_ahead())
        body = function.body
        assert body is not None
        while True:
            text = self._peek()
            if text == "}":
                self._next()
                self._depth -= 1
                return
            if text == "{":
                self._next()
                self._block(function, Scope((), scope))
            elif self._tokens[self._at][0] == "directive":
                self._line = self._lines.line(self._next()[1], self._line)
            elif text.startswith("."):
                statement = self._until(";")
                self._next()
                self._declaration(function, scope, statement)
            elif self._peek(1) == ":":
                self._labelled(function, scope)
            else:
                body.append(self._instruction(scope))

    def _labels_ahead(self) -> list[str]:
        found: list[str] = []
        depth = 0
        index = self._at
        while True:
            text = self._tokens[index][1]
            depth += (text == "{") - (text == "}")
            if depth < 0:
                return found
            if depth == 0 and text == ":" and self._tokens[index - 1][0] == "word":
                found.append(self._tokens[index - 1][1])
            index += 1

    def _labelled(self, function: Function, scope: Scope) -> None:
        name = scope.label(self._next()[1])
        self._next()
        if self._peek() == ".branchtargets":
            self._next()
            targets = [text for _, text in self._until(";") if text != ","]
            function.branch_targets[name] = tuple(scope.label(target) for target in targets)
            self._next()
        elif self._peek() == ".callprototype":
            self._until(";")
            self._next()
        else:
            assert function.body is not None
            function.body.append(Label(name))

    def _declaration(self, function: Function, scope: Scope, statement: list[Token]) -> None:
        head = statement[0][1]
        if head == ".reg":
            self._registers(function, scope, statement[1:])
        elif head == ".param":
            parameter = parse_parameter(statement)
            name = scope.declare_symbol(parameter.name, unique=True)
            function.call_parameters[name] = Parameter(name, parameter.size, parameter.align)
        elif head in _SPACES:
            variable = parse_variable(statement)
            scope.declare_symbol(variable.name)
            function.variables[variable.name] = variable
        elif head == ".pragma":
            self._pragma([text for _, text in statement[1:]])
        else:
            raise PtxSyntaxError(f"unknown directive {head!r} in function {function.name}")

    def _registers(self, function: Function, scope: Scope, statement: list[Token]) -> None:
        words = [text for _, text in statement]
        kind = TYPES.get(words[0][1:])
        if kind is None:
            raise PtxSyntaxError(f"unknown register type {words[0]!r}")
        for declared in "".join(words[1:]).split(","):
            counted = _REGISTER_RANGE.search(declared)
            base = declared[: counted.start()] if counted else declared
            number = parse_number(counted[1]).value if counted else 1
            self._registers_left -= number
            if self._registers_left < 0:
                raise PtxSyntaxError(f"more than {_MOST_REGISTERS:,} registers, in function {function.name}")
            names = [f"{base}{i}" for i in range(number)] if counted else [base]
            for name in names:
                function.registers[scope.declare_register(name)] = kind

    def _instruction(self, scope: Scope) -> Instruction:
        start = self._tokens[self._at][2]
        predicate: Register | None = None
        negated = False
        if self._peek() == "@":
            self._next()
            if self._peek() == "!":
                self._next()
                negated = True
            bound = scope.resolve(self._next()[1])
            if not isinstance(bound, Register):
                raise PtxSyntaxError(f"predicate {bound.name!r} is not declared")
            predicate = bound
        opcode, *modifiers = self._next()[1].split(".")
        parser = OperandParser(self._until(";"), scope.resolve)
        operands = parser.operands()
        end = self._next()[2]
        text = " ".join(self._text[start : min(end, start + _LONGEST_SHOWN)].split())
        used, self._used = self._used, -1
        return Instruction(opcode, tuple(modifiers), operands, predicate, negated, self._line, text, used, parser.parts)

    def _pragma(self, words: list[str]) -> None:
        """Keeps `"used_bytes_mask N"`, which applies to the next load; other pragmas are ignored."""
        name, _, value = "".join(words).strip('"').partition(" ")
        if name == "used_bytes_mask":
            self._used = int(value, 0)
