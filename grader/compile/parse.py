"""Parses a submission's text to Facts with tree-sitter.

It reads the text as written, without full macro expansion and without types, which are left to the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader.compile.facts import ANONYMOUS, Facts, Function, Include, Macro, Variable, form_of
from grader.compile.lexical import code_only, without_comments
from grader.compile.preprocess import preprocess
from grader.compile.syntax import syntax_tree

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 60
"""Deepest nesting of namespaces, conditions and linkage blocks that is followed."""

MOST_EXPANSIONS = 100_000
"""Words of macro bodies examined in a file, counted for each use of a macro."""


def parse(text: str) -> Facts:
    """Parses a file. Never fails: broken text gives what can be found, text that can't be parsed gives nothing."""
    walk = _walk(without_comments(text))
    functions = walk.functions
    if _DIRECTIVE.search(text):
        functions = _walk(preprocess(text).encode(errors="replace")).functions
    return Facts(
        functions=tuple(walk.functions),
        host_variables=tuple(walk.variables),
        macros=tuple(walk.macros.values()),
        includes=tuple(walk.includes),
        form=form_of(functions),
    )


def _walk(data: bytes) -> _Walk:
    walk = _Walk(data)
    tree = syntax_tree(_without_attributes(_known_conditions(data)))
    if tree is not None:
        walk.visit(tree.root_node.children, _Place())
    return walk


def _known_conditions(data: bytes) -> bytes:
    """Replaces each `__has_include(<file>)`, which the grammar does not know in #if, by `1` and blanks."""
    return _CONDITION.sub(lambda line: _HAS_INCLUDE.sub(lambda one: b"1".ljust(len(one[0])), line[0]), data)


def _without_attributes(data: bytes) -> bytes:
    """Replaces attributes that the grammar does not know, which would end a declaration, by blanks."""
    return _ATTRIBUTE.sub(lambda one: re.sub(rb"[^\n]", b" ", one[0]), data)


_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:define|undef|if|ifdef|ifndef)\b", re.MULTILINE)
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(?:el)?if\b(?:\\\r?\n|[^\n])*", re.MULTILINE)
_HAS_INCLUDE = re.compile(rb"""__has_include(?:_next)?[ \t]*\([ \t]*(?:<[^<>\n]*>|"[^"\n]*")[ \t]*\)""")
_ATTRIBUTE = re.compile(
    rb"""\b(?:__(?:cluster_dims|maxnreg|block_size|align)__[ \t]*\((?:[^()]|\([^()]{0,80}\)){0,80}\)"""
    rb"""|__(?:inline_hint|nv_pure)__\b|_Pragma[ \t]*\([ \t]*"[^"\n]{0,200}"[ \t]*\))"""
)
"""Of functions, and `_Pragma`: CUDA C++ Programming Guide, C++ Language Extensions."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEVICE_WORDS = frozenset({"__device__", "__constant__", "__shared__", "__managed__", "__global__"})
_TYPE_WORDS = frozenset({"typedef", "using", "const", "constexpr", "friend", "static_assert"})


@dataclass(frozen=True)
class _Place:
    """The context of the current node in the walk."""

    namespace: str = ""
    c_linkage: bool = False
    template: bool = False
    start: int | None = None
    broken: bool = False
    depth: int = 0


@dataclass
class _Walk:
    data: bytes
    functions: list[Function] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    macros: dict[str, Macro] = field(default_factory=dict)
    includes: list[Include] = field(default_factory=list)
    expansions: int = MOST_EXPANSIONS

    def visit(self, nodes: Iterable[Node], place: _Place) -> None:
        """Visits sibling nodes in order."""
        if place.depth > DEEPEST:
            return
        place, before = replace(place, depth=place.depth + 1), None
        for child in nodes:
            if child.type == "ERROR" or (child.type == "declaration" and child.has_error):
                # A broken head or unbalanced braces: statements of a kernel may follow at file scope.
                place = replace(place, broken=True)
            self._visit_one(child, before, place)
            before = child

    def _visit_one(self, node: Node, before: Node | None, place: _Place) -> None:
        kind = node.type
        if kind in ("function_definition", "declaration"):
            self._declaration(node, before, place)
        elif kind == "template_declaration":
            self.visit(node.children, replace(place, template=True, start=node.start_byte))
        elif kind == "linkage_specification":
            c_linkage = '"C"' in self._text(node.child_by_field_name("value"))
            whole = node.start_byte if node.children[-1].type != "declaration_list" else None
            self.visit(node.children, replace(place, c_linkage=c_linkage, start=whole))
        elif kind == "namespace_definition":
            name = self._text(node.child_by_field_name("name")) or ANONYMOUS
            inside = f"{place.namespace}::{name}" if place.namespace else name
            self.visit(node.children, replace(place, namespace=inside, start=None))
        elif kind in ("preproc_def", "preproc_function_def"):
            name = self._text(node.child_by_field_name("name"))
            value = self._text(node.child_by_field_name("value")).strip()
            self.macros[name] = Macro(name, value, _line(node), kind == "preproc_function_def")
        elif kind == "preproc_call":
            self._undefine(node)
        elif kind == "preproc_include":
            self.includes.append(Include(self._text(node.child_by_field_name("path")), _line(node)))
        elif kind in ("preproc_if", "preproc_ifdef", "preproc_elif"):
            self._conditional(node, place)
        elif kind in ("declaration_list", "preproc_else", "ERROR"):
            self.visit(node.children, place)

    def _conditional(self, node: Node, place: _Place) -> None:
        """Visits the branches that the preprocessor may keep."""
        branch: Node | None = node
        while branch is not None:
            if branch.type == "preproc_else":
                return self.visit(branch.children, place)
            holds = self._holds(branch)
            alternative = branch.child_by_field_name("alternative")
            if holds is not False:
                children = branch.children
                # The alternative is the last child except for an #endif.
                self.visit(children if alternative is None else [c for c in children if c != alternative], place)
            if holds is True:
                return None
            branch = alternative
        return None

    def _holds(self, node: Node) -> bool | None:
        """Whether a condition is true; None if only the preprocessor can tell."""
        if node.type == "preproc_ifdef":
            name = self._text(node.child_by_field_name("name"))
            # Names starting with an underscore are reserved; the compiler may define them.
            known = True if name in self.macros else None if name[:1] == "_" else False
            negated = node.children[0].type == "#ifndef"
            return known if known is None else known != negated
        condition = self._text(node.child_by_field_name("condition")).strip()
        return {"0": False, "1": True}.get(condition)

    def _undefine(self, node: Node) -> None:
        if self._text(node.child_by_field_name("directive")) == "#undef":
            self.macros.pop(self._text(node.child_by_field_name("argument")).strip(), None)

    def _declaration(self, node: Node, before: Node | None, place: _Place) -> None:
        declarator = _function_declarator(node)
        if declarator is None:
            if node.type == "declaration":
                self._variable(node, place)
            return
        name = declarator.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        start = node.start_byte if place.start is None else place.start
        head_start = node.start_byte
        if node.child_by_field_name("type") is None:
            # An attribute unknown to the grammar splits off the head: `__global__ void ATTRIBUTE(2)`.
            if before is None or before.type != "declaration":
                return
            start = head_start = before.start_byte
        words = self._words(head_start, declarator.start_byte)
        if place.broken and _space(words) == "host":
            return
        self.functions.append(
            Function(
                name=self._text(name),
                namespace=place.namespace,
                space=_space(words),
                parameters=tuple(self._parameters(declarator)),
                line=declarator.start_point.row + 1,
                span=(start, node.end_byte),
                template=place.template,
                constexpr="constexpr" in words or "consteval" in words,
                defined=body is not None,
                c_linkage=place.c_linkage,
                launches=body is not None and "<<<" in code_only(self._text(body)),
            )
        )

    def _variable(self, node: Node, place: _Place) -> None:
        words = self._words(node.start_byte, node.end_byte)
        kind = node.child_by_field_name("type")
        has_body = kind is not None and kind.child_by_field_name("body") is not None
        declarator = node.child_by_field_name("declarator")
        unclear = place.broken or place.template or has_body or declarator is None
        if unclear or words & (_DEVICE_WORDS | _TYPE_WORDS):
            return
        match = _WORD.search(self._text(declarator))
        if match:
            start = node.start_byte if place.start is None else place.start
            self.variables.append(Variable(match[0], _line(node), (start, node.end_byte)))

    def _parameters(self, declarator: Node) -> Iterator[str]:
        parameters = declarator.child_by_field_name("parameters")
        for child in parameters.named_children if parameters else ():
            if child.type != "comment":
                text = " ".join(self._text(child).replace("\\\n", " ").split())
                if text != "void":
                    yield text

    def _words(self, start: int, end: int) -> set[str]:
        """The words of a piece of text, and those in the file's own macros used in it."""
        found = _WORD.findall(self.data[start:end].decode(errors="replace"))
        words: set[str] = set()
        while found:
            word = found.pop()
            if word not in words and word in self.macros and self.expansions > 0:
                inner = _WORD.findall(self.macros[word].value)
                self.expansions -= 1 + len(inner)
                found += inner
            words.add(word)
        return words

    def _text(self, node: Node | None) -> str:
        return "" if node is None else self.data[node.start_byte : node.end_byte].decode(errors="replace")


def _space(words: set[str]) -> str:
    if "__global__" in words:
        return "kernel"
    return "device" if "__device__" in words else "host"


def _line(node: Node) -> int:
    return int(node.start_point.row) + 1


def _function_declarator(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        inner = declarator.child_by_field_name("declarator")
        declarator = inner if inner is not None else next(iter(declarator.named_children), None)
    if declarator is None or declarator.type != "function_declarator":
        return None
    name = declarator.child_by_field_name("declarator")
    return declarator if name is not None and name.type in ("identifier", "operator_name") else None
