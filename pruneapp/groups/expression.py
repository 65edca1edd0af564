"""Expressions over the fields of a configuration: ``head_dim or hidden_size // heads``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class ExpressionError(ValueError):
    """An expression cannot be evaluated: a field is missing, or is not a number."""


def evaluate(text: str, fields: Mapping[str, Any]) -> Any:
    """Return the value of an expression: numbers, names, ``+ - * / // % ==``, ``or and not``.

    A name is a field; a missing or null field has the value None, which ``or`` replaces. No
    functions can be called. Raises `ExpressionError` if the expression is invalid, an operand of an
    operator is not a number, or the result does not exist, as after a division by 0.
    """
    try:
        return _value(_parse(text), fields)
    except (TypeError, ZeroDivisionError, OverflowError) as error:
        raise ExpressionError(f"'{text}' has no value here: {error}") from None


def evaluate_integer(text: str, fields: Mapping[str, Any]) -> int:
    """Return the integer value of an expression; a float such as 3.0 is accepted.

    Raises `ExpressionError` if the value is not an integer.
    """
    value = evaluate(text, fields)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ExpressionError(f"'{text}' is no whole number here ({value!r})")
    return int(value)


def names_in(text: str) -> frozenset[str]:
    """Return the names that an expression uses."""
    return frozenset(node.id for node in ast.walk(_parse(text)) if isinstance(node, ast.Name))


@cache
def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ExpressionError(f"'{text}' is no expression") from None


def _number(node: ast.expr, fields: Mapping[str, Any]) -> int | float:
    value = _value(node, fields)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"'{ast.unparse(node)}' is {value!r}, no number")
    return value


def _value(node: ast.expr, fields: Mapping[str, Any]) -> Any:
    """Return the value of a node of an expression; ``or`` returns its first true operand or None.

    Raises `ExpressionError` for any syntax that is not allowed.
    """
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return fields.get(name)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_number(left, fields), _number(right, fields))
        case ast.BoolOp(op=ast.Or(), values=values):
            return next((v for n in values if (v := _value(n, fields))), None)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(n, fields) for n in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, fields)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return bool(_value(left, fields) == _value(right, fields))
    raise ExpressionError(f"'{ast.unparse(node)}' is not allowed in an expression")
