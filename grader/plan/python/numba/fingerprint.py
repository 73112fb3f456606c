"""What a function compiles to depends on: its code, and all that it names, as one hashable value.

Functions of a freshly imported module are other objects than before; their fingerprints are the same.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), range, slice)


class Unknown(Exception):
    """A function uses a value that could change without being seen here."""


def fingerprint(function: types.FunctionType, unwrap: Callable[[Any], Any]) -> str:
    """A digest of a function's code, its lines, and the values of the globals and free variables that it names.

    `unwrap` gives, for an object of the language such as a decorated function, what decides about it, made of plain
    values, functions and containers; and the object itself for any other. Raises Unknown.
    """
    return hashlib.sha256(repr(_Walk(unwrap).function(function)).encode()).hexdigest()


class _Walk:
    def __init__(self, unwrap: Callable[[Any], Any]) -> None:
        self._unwrap = unwrap
        self._seen: dict[types.CodeType, int] = {}

    def function(self, function: types.FunctionType) -> Any:
        code = function.__code__
        # Functions may call themselves and each other.
        if code in self._seen:
            return "seen", self._seen[code]
        self._seen[code] = len(self._seen)
        cells = [self.cell(cell) for cell in function.__closure__ or ()]
        known = function.__globals__
        used = {name: self.value(known[name]) for name in sorted(_names(code)) if name in known}
        return "function", self.code(code), self.value(function.__defaults__), cells, used

    def cell(self, cell: types.CellType) -> Any:
        try:
            content = cell.cell_contents
        except ValueError:
            return "empty"
        return self.value(content)

    def code(self, code: types.CodeType) -> Any:
        constants = [self.code(one) if isinstance(one, types.CodeType) else self.value(one) for one in code.co_consts]
        lines = list(code.co_lines())
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        return code.co_name, code.co_filename, code.co_code, code.co_flags, names, constants, lines

    def value(self, value: Any) -> Any:
        value = self._unwrap(value)
        if isinstance(value, _PLAIN):
            return type(value).__name__, repr(value)
        if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            shape, data = np.shape(value), hashlib.sha256(value.tobytes()).hexdigest()
            return "array", value.dtype.descr, shape, getattr(value, "strides", ()), data
        if isinstance(value, (tuple, list)):
            return type(value).__name__, [self.value(one) for one in value]
        if isinstance(value, (set, frozenset)):
            return "set", sorted(repr(self.value(one)) for one in value)
        if isinstance(value, Mapping):
            return "mapping", [(self.value(key), self.value(one)) for key, one in value.items()]
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if isinstance(value, types.ModuleType):
            return "module", value.__name__
        if isinstance(value, (type, types.BuiltinFunctionType, np.ufunc)):
            return "named", getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__)
        raise Unknown(type(value).__name__)


def _names(code: types.CodeType) -> set[str]:
    """The names that a function and those inside of it may look up among globals."""
    inner = [_names(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return set(code.co_names).union(*inner)
