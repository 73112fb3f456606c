"""C's arithmetic: promotions, conversions, wrap-around and rounding of each operator, on recorded values."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable

from grader.debug.c_types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UNSIGNED,
    UNSIGNED_LONG,
    CType,
    Member,
    Number,
    Pointer,
    Scalar,
    converted,
)
from grader.debug.values import EvaluationError, Value

_INTEGER = re.compile(r"(?i)(0x[0-9a-f]+|0b[01]+|\d+)(u?l{0,2}|l{1,2}u)")
_FLOAT = re.compile(r"(?i)(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)(f?|l)")
_ESCAPES = {"n": 10, "t": 9, "0": 0, "r": 13, "\\": 92, "'": 39, '"': 34}


def literal(text: str) -> Value:
    """The value of a number as C++ writes it, with its suffix. Raises EvaluationError."""
    words = text.replace("'", "")
    sign = -1 if words.startswith("-") else 1
    words = words.lstrip("+-")
    if found := _INTEGER.fullmatch(words):
        return _integer_literal(sign, found[1], found[2].lower())
    if found := _FLOAT.fullmatch(words):
        type = FLOAT if found[2].lower() == "f" else DOUBLE
        return Value(type, converted(sign * float(found[1]), type))
    raise EvaluationError(f"{text[:60]} is not a number of C++")


def _integer_literal(sign: int, digits: str, suffix: str) -> Value:
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    try:
        size = int(digits, 8 if octal else 0)
    except ValueError:
        raise EvaluationError(f"{digits[:60]} is not a number of C++") from None
    types = [INT, UNSIGNED, LONG, UNSIGNED_LONG]
    if digits.isdigit() and not octal and "u" not in suffix:
        types = [INT, LONG]
    if "u" in suffix:
        types = [one for one in types if one.unsigned]
    if "l" in suffix:
        types = [one for one in types if one.size == 8]
    for type in types:
        if converted(size, type) == size:
            return Value(type, converted(sign * size, type))
    raise EvaluationError(f"{digits[:60]} is too large for any integer of C++")


def character(text: str) -> Value:
    """The value of a literal such as 'a'."""
    inner = text[1:-1]
    if inner.startswith("\\") and inner[1:] in _ESCAPES:
        return Value(CHAR, _ESCAPES[inner[1:]])
    if len(inner) == 1 and ord(inner) < 128:
        return Value(CHAR, ord(inner))
    raise EvaluationError(f"{text[:60]} is not one character of ASCII")


def truth(holds: bool) -> Value:
    return Value(BOOL, int(holds))


def number(value: Value) -> Number:
    """The number of a loaded value. Raises EvaluationError for a structure or an array."""
    if value.number is None:
        raise EvaluationError(f"a {value.type.name} is not a number; name one of its members or elements")
    return value.number


def integer(value: Value, role: str) -> int:
    """The whole number of a loaded value; `role` names it in the error."""
    found = number(value)
    if isinstance(found, float) or not isinstance(value.type, Scalar):
        raise EvaluationError(f"{role} is an integer, not a {value.type.name}")
    return found


def member(value: Value, one: Member) -> Value:
    """A member of a structure that lies in memory."""
    if value.place is None:
        raise EvaluationError(f"{value.type.name} has no place in memory")
    return Value(one.type, place=value.place.moved(one.offset))


def cast(value: Value, type: CType) -> Value:
    """A number converted to a scalar or pointer type."""
    if not isinstance(type, (Scalar, Pointer)):
        if value.type.name == type.name:
            return value
        raise EvaluationError(f"a {value.type.name} can't be converted to {type.name}")
    found = number(value)
    if isinstance(type, Pointer) and isinstance(found, float):
        raise EvaluationError(f"a {value.type.name} can't be converted to {type.name}")
    return Value(type, converted(found, type))


def unary(word: str, value: Value) -> Value:
    """-, +, ! and ~."""
    found = number(value)
    if word in ("!", "not"):
        return truth(not found)
    type = _promoted(value.type)
    if word == "+":
        return Value(type, found)
    if word == "-":
        return Value(type, converted(-found, type))
    if isinstance(found, float):
        raise EvaluationError(f"{word} needs an integer, not a {value.type.name}")
    return Value(type, converted(~found, type))


def binary(word: str, left: Value, right: Value) -> Value:
    """Any operator with two operands that always computes both."""
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _with_pointers(word, left, right)
    one, other = number(left), number(right)
    if word in ("<<", ">>"):
        return _shifted(word, left, right)
    type = _common(left.type, right.type)
    one, other = converted(one, type), converted(other, type)
    if word in _COMPARISONS:
        return truth(_COMPARISONS[word](one, other))
    if word in ("/", "%"):
        return Value(type, converted(_divided(word, one, other, type), type))
    if word in _BITWISE:
        if isinstance(one, float) or isinstance(other, float):
            raise EvaluationError(f"{word} needs integers, not a {type.name}")
        return Value(type, converted(_BITWISE[word](one, other), type))
    if word not in _ARITHMETIC:
        raise EvaluationError(f"the operator {word} can't be evaluated here")
    return Value(type, converted(_ARITHMETIC[word](one, other), type))


def function(name: str, count: int) -> Callable[..., Value]:
    """One of a few functions that an expression may call. Raises EvaluationError for all others."""
    if (name, count) not in _FUNCTIONS:
        known = ", ".join(sorted({each for each, _ in _FUNCTIONS}))
        raise EvaluationError(f"{name[:60]} can't be called: nothing runs here. These are known: {known}")
    return _FUNCTIONS[name, count]


def _with_pointers(word: str, left: Value, right: Value) -> Value:
    one, other = int(number(left)), int(number(right))
    if word in _COMPARISONS:
        return truth(_COMPARISONS[word](one, other))
    if word == "-" and isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
        return Value(LONG, (one - other) // _step(left.type))
    if word == "+" and not isinstance(left.type, Pointer):
        left, right = right, left
    if word not in ("+", "-") or isinstance(right.type, Pointer) or not isinstance(left.type, Pointer):
        raise EvaluationError(f"the operator {word} has no meaning for these pointers")
    distance = integer(right, "what is added to a pointer") * _step(left.type)
    moved = int(number(left)) + (distance if word == "+" else -distance)
    return Value(left.type, moved & ((1 << 64) - 1))


def _step(type: Pointer) -> int:
    if type.to is None or not type.to.size:
        raise EvaluationError("a pointer to void has no elements; cast it first, as in (float*)p")
    return type.to.size


def _shifted(word: str, left: Value, right: Value) -> Value:
    type = _promoted(left.type)
    bits, by = integer(left, "what is shifted"), integer(right, "what is shifted by")
    if not 0 <= by < 8 * type.size:
        raise EvaluationError(f"a shift of a {type.name} by {by} is undefined; 0 to {8 * type.size - 1} is expected")
    return Value(type, converted(bits << by if word == "<<" else bits >> by, type))


def _divided(word: str, one: Number, other: Number, type: CType) -> Number:
    if isinstance(one, float) or isinstance(other, float):
        if word == "%":
            raise EvaluationError(f"% needs integers, not a {type.name}")
        if other:
            return one / other
        if not one or one != one:
            return math.nan
        return math.copysign(math.inf, one) * math.copysign(1.0, other)
    if not other:
        raise EvaluationError(f"{one} {word} 0 is undefined")
    # C rounds towards zero.
    quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
    return quotient if word == "/" else one - quotient * other


def _promoted(type: CType) -> CType:
    if isinstance(type, Scalar) and type.real:
        return type if type.size >= 4 else FLOAT
    return type if type.size >= 4 else INT


def _common(left: CType, right: CType) -> CType:
    """C's usual arithmetic conversions."""
    one, other = _promoted(left), _promoted(right)
    reals = [each for each in (one, other) if isinstance(each, Scalar) and each.real]
    if reals:
        return max(reals, key=lambda each: each.size)
    size = max(one.size, other.size)
    unsigned = any(isinstance(each, Scalar) and each.unsigned and each.size == size for each in (one, other))
    return {4: (INT, UNSIGNED), 8: (LONG, UNSIGNED_LONG)}[8 if size > 4 else 4][unsigned]


def _larger(left: Value, right: Value) -> Value:
    return left if is_less(right, left) else right


def _smaller(left: Value, right: Value) -> Value:
    return right if is_less(right, left) else left


def is_less(left: Value, right: Value) -> bool:
    return bool(binary("<", left, right).number)


def _both(choose: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def chosen(left: Value, right: Value) -> Value:
        return cast(choose(left, right), _common(left.type, right.type))

    return chosen


def _of_real(type: Scalar, compute: Callable[[float], float]) -> Callable[[Value], Value]:
    def computed(value: Value) -> Value:
        try:
            return Value(type, converted(compute(float(converted(number(value), type))), type))
        except (ValueError, OverflowError):
            return Value(type, math.nan)

    return computed


def _absolute(value: Value) -> Value:
    type = _promoted(value.type)
    return Value(type, converted(abs(number(value)), type))


_COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_BITWISE: dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_FUNCTIONS: dict[tuple[str, int], Callable[..., Value]] = {
    ("min", 2): _both(_smaller),
    ("max", 2): _both(_larger),
    ("fminf", 2): _both(_smaller),
    ("fmaxf", 2): _both(_larger),
    ("abs", 1): _absolute,
    ("fabsf", 1): _of_real(FLOAT, abs),
    ("fabs", 1): _of_real(DOUBLE, abs),
    ("sqrtf", 1): _of_real(FLOAT, math.sqrt),
    ("sqrt", 1): _of_real(DOUBLE, math.sqrt),
    ("expf", 1): _of_real(FLOAT, math.exp),
    ("exp", 1): _of_real(DOUBLE, math.exp),
    ("isnan", 1): lambda value: truth(number(value) != number(value)),
    ("isinf", 1): lambda value: truth(math.isinf(number(value))),
}
