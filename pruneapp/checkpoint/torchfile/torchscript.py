"""Derive the roles of tensors in a TorchScript archive from its source code, which is never run.

An archive has one text per Python module, such as ``code/__torch__/torch/nn/modules/linear.py``.
The classes in it list their parameters and buffers:

    class Linear(Module):
      __parameters__ = ["weight", "bias", ]
      __buffers__ = []

A frozen program has no attributes: its weights are constants, ``torch.linear(x, CONSTANTS.c0)``.
The operator that reads a constant determines whether it is a weight.

This module needs only the standard library, for the process that parses headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pruneapp.checkpoint.entry import STATISTICS
from pruneapp.checkpoint.torchfile.state_dicts import Declared
from pruneapp.checkpoint.torchfile.torch_objects import Tensor
from pruneapp.progress import CancelToken

CODE = "code/"
CONSTANTS = "CONSTANTS"
# The kind of a constant that no operator reads as a weight.
CONSTANT = "constant"

_CLASS = re.compile(r"class (\w+)\(")
_DECLARED = re.compile(r"  __(parameters|buffers)__ = \[([^\]]*)\]")
_QUOTED = re.compile(r'"([^"]*)"')


def declarations(modules: Mapping[str, str], cancel: CancelToken) -> dict[str, Declared]:
    """Return the declared parameters and buffers of each class, by the full name of the class.

    Classes that declare no list of parameters are not in the result.

    Parameters
    ----------
    modules
        The source code of each module, by its dotted name.
    """
    found: dict[str, dict[str, frozenset[str]]] = {}
    for module, text in modules.items():
        lists: dict[str, frozenset[str]] = {}
        for line in cancel.each(text.split("\n")):
            if match := _CLASS.match(line):
                lists = found[f"{module}.{match[1]}"] = {}
            elif match := _DECLARED.match(line):
                lists[match[1]] = frozenset(_QUOTED.findall(match[2]))
    none: frozenset[str] = frozenset()
    return {
        name: Declared(lists["parameters"], lists.get("buffers", none))
        for name, lists in found.items()
        if "parameters" in lists
    }


# The roles of the arguments of operators, by position. `_kind` converts roles to kinds of tensors.
_WEIGHT, _BIAS, _NORM, _EMBEDDING, _RECURRENT = "weight", "bias", "norm", "embedding", "recurrent"
_LAYER = {1: _WEIGHT, 2: _BIAS}
_TABLE = {0: _EMBEDDING}
_LISTS = {2: _RECURRENT, 3: _RECURRENT}
_PRODUCT = {0: _WEIGHT, 1: _WEIGHT}
_SUM_AND_PRODUCT = {0: _BIAS, 1: _WEIGHT, 2: _WEIGHT}
_NORMALIZED = {1: _NORM, 2: _NORM, 3: STATISTICS, 4: STATISTICS}
_BY_LAYER = {2: _NORM, 3: _NORM}
_CELL = {2: _RECURRENT, 3: _RECURRENT, 4: _BIAS, 5: _BIAS}
_OPERATORS: dict[str, dict[int, str]] = {
    "linear": _LAYER,
    **{f"conv{n}d": _LAYER for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _LAYER for n in (1, 2, 3)},
    **dict.fromkeys(("_convolution", "convolution", "_convolution_mode", "conv_tbc"), _LAYER),
    **dict.fromkeys(("matmul", "mm", "bmm", "mv"), _PRODUCT),
    **dict.fromkeys(("addmm", "baddbmm", "addmv"), _SUM_AND_PRODUCT),
    "bilinear": {2: _WEIGHT, 3: _BIAS},
    "embedding": _TABLE,
    "embedding_bag": _TABLE,
    "batch_norm": _NORMALIZED,
    "instance_norm": _NORMALIZED,
    **dict.fromkeys(("layer_norm", "group_norm"), _BY_LAYER),
    "lstm": _LISTS,
    "gru": _LISTS,
    "rnn_tanh": _LISTS,
    "rnn_relu": _LISTS,
    **{f"{name}_cell": _CELL for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
}
# Functions that return a tensor argument in another form, and the position of the argument.
_SAME = {
    **dict.fromkeys(
        (
            "t", "transpose", "permute", "detach", "contiguous", "to", "reshape", "view", "squeeze",
            "unsqueeze", "flatten", "numpy_T", "clone", "alias", "slice", "select", "narrow",
        ),
        0,
    ),
    **dict.fromkeys(("annotate", "unchecked_cast"), 1),
}  # fmt: skip
# Maximum nesting of brackets in a statement, and number of constants assigned by it.
_MAX_DEPTH, _MAX_CONSTANTS = 100, 1000
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|[()\[\],=]')
_CONSTANT = re.compile(rf"{CONSTANTS}\.c(\d{{1,9}})$")


def constant_roles(modules: Iterable[str], cancel: CancelToken) -> dict[int, set[str]]:
    """Return the roles (weight, bias, norm, ...) in which operators read each constant, by number.

    A constant is followed through variables of a function, lists, and functions that only change
    its form. Constants that no known operator reads are absent.

    Parameters
    ----------
    modules
        The source code of the modules.
    """
    roles: dict[int, set[str]] = {}
    for text in modules:
        variables: dict[str, set[int]] = {}
        for line in cancel.each(text.split("\n")):
            if line.lstrip().startswith("def "):
                variables = {}
            if CONSTANTS in line or variables:
                for number, role in _uses(line, variables):
                    roles.setdefault(number, set()).add(role)
    return roles


def _uses(line: str, variables: dict[str, set[int]]) -> Iterator[tuple[int, str]]:
    """Yield the numbers and roles of the constants that are arguments of operators in a statement.

    `variables` has the numbers of the constants that variables refer to. The variable that the
    statement assigns is set when the iteration ends. An assignment without constants does not
    change it. Very deep or long statements are not read to their end.
    """
    # The enclosing calls and brackets: the function ("" for a bracket) and the argument position.
    enclosing: list[tuple[str, int]] = []
    target = name = ""
    assigned: set[int] = set()
    for part in (*_TOKEN.findall(line), ""):
        if len(enclosing) > _MAX_DEPTH or len(assigned) > _MAX_CONSTANTS:
            return  # not written by torch
        if part == "(":
            enclosing.append((name.rpartition(".")[2], 0))
            name = ""
            continue
        if name:
            match = _CONSTANT.match(name)
            numbers = {int(match[1])} if match else variables.get(name, set())
            if numbers:
                role = _role(enclosing)
                if role is None:
                    assigned |= numbers
                elif role:
                    yield from ((number, role) for number in numbers)
            if part == "=" and not enclosing and not target:
                target = name
                assigned.clear()
        name = ""
        if part == "[":
            enclosing.append(("", 0))
        elif part in {")", "]"} and enclosing:
            enclosing.pop()
        elif part == "," and enclosing:
            function, index = enclosing[-1]
            enclosing[-1] = function, index + 1
        elif part and part not in {",", "=", ")", "]"}:
            name = part
    if target and assigned:
        variables[target] = set(assigned)


def _role(enclosing: list[tuple[str, int]]) -> str | None:
    """Return the role of a value inside nested calls; None if they return it; "" if unknown."""
    for function, index in reversed(enclosing):
        if function and _SAME.get(function) != index:
            return _OPERATORS.get(function, {}).get(index, "")
    return None


def mark_constants(constants: Any, roles: Mapping[int, set[str]]) -> dict[str, Tensor]:
    """Return the tensors among the constants of a program by name (``c0``), with their kinds set.

    The number in a name is the index among all constants. `buffer` is set too. Empty if `constants`
    is no tuple or list.

    Parameters
    ----------
    constants
        The object in ``constants.pkl``.
    roles
        See `constant_roles`.
    """
    if type(constants) not in {tuple, list}:
        return {}
    tensors: dict[str, Tensor] = {}
    for number, tensor in enumerate(constants):
        if isinstance(tensor, Tensor):
            tensor.kind = _kind(tensor, roles.get(number, set()))
            tensor.buffer = tensor.kind in {CONSTANT, STATISTICS}
            tensors[f"c{number}"] = tensor
    return tensors


def _kind(tensor: Tensor, roles: set[str]) -> str:
    """Return the kind of a constant with these roles; `CONSTANT` without any.

    Of several roles, the first of embedding, weight, recurrent, norm, bias and statistics decides.
    A weight of one dimension is no weight.
    """
    rank = len(tensor.shape)
    if _EMBEDDING in roles:
        return "embedding"
    if _WEIGHT in roles and rank > 1:
        return {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}.get(rank, "Linear")
    if _RECURRENT in roles:
        return "recurrent" if rank > 1 else "bias"
    for kind in (_NORM, _BIAS, STATISTICS):
        if kind in roles:
            return kind
    return CONSTANT
