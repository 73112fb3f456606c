"""Makes the names of a function's nested scopes unique: inline assembly declares the same names again and again."""

from __future__ import annotations

from collections.abc import Iterable

from grader.run.emulator.ptx.syntax import Register, Symbol


class Scope:
    """One `{ … }` of a function body; inner scopes see the names of outer ones and may hide them."""

    def __init__(self, known: Iterable[str] = (), outer: Scope | None = None) -> None:
        """`known`: names that are taken, those of the function's parameters."""
        self._outer = outer
        self._names: dict[str, Register | Symbol] = {}
        self._labels: dict[str, str] = {}
        self._used: dict[str, int] = outer._used if outer else dict.fromkeys(known, 1)
        """How often each name has been declared."""

    def _unique(self, name: str) -> str:
        count = self._used[name] = self._used.get(name, 0) + 1
        return name if count == 1 else f"{name}@{count}"

    def declare_register(self, name: str) -> str:
        """Binds `name` to a register in this scope; returns its unique name in the function."""
        unique = self._unique(name)
        self._names[name] = Register(unique)
        return unique

    def declare_symbol(self, name: str, unique: bool = False) -> str:
        """Binds `name` to a variable in this scope; returns its name in the function."""
        known = self._unique(name) if unique else name
        self._names[name] = Symbol(known)
        return known

    def bind_labels(self, names: Iterable[str]) -> None:
        """Binds the labels of this scope to unique names."""
        for name in names:
            self._labels[name] = self._unique(name)

    def label(self, name: str) -> str:
        """Returns the unique name of a label, from this scope or an outer one."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope._labels:
                return scope._labels[name]
            scope = scope._outer
        return name

    def resolve(self, name: str) -> Register | Symbol:
        """Returns the register declared under that name, else a symbol (variable, label, special register)."""
        scope: Scope | None = self
        while scope is not None:
            bound = scope._names.get(name)
            if bound is not None:
                return bound
            if name in scope._labels:
                return Symbol(scope._labels[name])
            scope = scope._outer
        return Symbol(name)
