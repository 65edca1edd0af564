"""Values that a parameter accepts, including limits, and values that it rejects."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

from pruneapp.methods.builtin.patterns import BlockParam, PatternParam
from pruneapp.methods.limits import TotalParam
from pruneapp.params import (
    AmountParam,
    ChoiceParam,
    FileParam,
    FlagParam,
    FloatParam,
    IntParam,
    NormParam,
    NumberParam,
    OptionalParam,
    Param,
    SizeParam,
    SubsetParam,
)

MOST = 1 << 16  # of a pattern or a block


@singledispatch
def valid(param: Param) -> list[Any]:
    """Return values that a parameter accepts."""
    raise NotImplementedError(f"write down here what {type(param).__name__} accepts")


@singledispatch
def invalid(param: Param) -> list[Any]:
    """Return values that a parameter rejects."""
    raise NotImplementedError(f"write down here what {type(param).__name__} refuses")


@valid.register
def _(param: NumberParam) -> list[Any]:
    borders = [b for b in (param.bounds.low, param.bounds.high) if b is not None]
    return [param.default, *(type(param.default)(border) for border in borders)]


def _outside(param: NumberParam) -> list[Any]:
    low, high = param.bounds.low, param.bounds.high
    outside = [*([] if low is None else [low - 1]), *([] if high is None else [high + 1])]
    return [*outside, "x", None, True]


@invalid.register
def _(param: IntParam) -> list[Any]:
    return [*_outside(param), 0.5]


@invalid.register
def _(param: FloatParam) -> list[Any]:
    return [*_outside(param), math.nan, math.inf, 10**400]


@valid.register
def _(_param: NormParam) -> list[Any]:
    return [0, 0.5, 1, 2, 3, -1, math.inf, -math.inf, "fro", "nuc"]


@invalid.register
def _(_param: NormParam) -> list[Any]:
    return [math.nan, "frobenius", None, True]


@valid.register
def _(param: AmountParam) -> list[Any]:
    return [*([None] if isinstance(param, TotalParam) else []), 0, 1, 7, 0.0, 0.35, 0.5, 1.0]


@invalid.register
def _(param: AmountParam) -> list[Any]:
    refused = [-1, -0.1, 1.1, math.nan, math.inf, "half"]  # as in torch
    return refused if isinstance(param, TotalParam) else [*refused, None]


@valid.register
def _(param: OptionalParam) -> list[Any]:
    whole = isinstance(param, IntParam)
    return [None, 2, 100] if whole else [None, 0.0, 0.003, 1.0]


@invalid.register
def _(param: OptionalParam) -> list[Any]:
    return ["x", True, *([1, 2.5] if isinstance(param, IntParam) else [-0.1, math.nan])]


@valid.register
def _(_param: SizeParam) -> list[Any]:
    return [None, 1, 1000, 1_500_000, 5 * 10**9, 4 * 2**30, 3 * 2**19, 1_234_567]


@invalid.register
def _(_param: SizeParam) -> list[Any]:
    return [0, -1, 0.5, "x", True]


@valid.register
def _(_param: FlagParam) -> list[Any]:
    return [True, False]


@invalid.register
def _(_param: FlagParam) -> list[Any]:
    return [2, "maybe", None]


@valid.register
def _(param: ChoiceParam) -> list[Any]:
    return [choice.value for choice in param.choices]


@invalid.register
def _(_param: ChoiceParam) -> list[Any]:
    return ["", "no such choice", None, 1]


@valid.register
def _(param: SubsetParam) -> list[Any]:
    words = [choice.value for choice in param.choices]
    return [(), *((word,) for word in words), tuple(words)]


@invalid.register
def _(_param: SubsetParam) -> list[Any]:
    return [("no such word",), "embeddings", None, 1]


@valid.register
def _(_param: PatternParam) -> list[Any]:
    return ["2:4", "4:8", "1:2", "3:4", "1:4", f"1:{MOST}", "7:32"]


@invalid.register
def _(_param: PatternParam) -> list[Any]:
    return ["4:4", "0:4", "4:2", "2-4", "2:4:8", "-1:4", f"1:{MOST + 1}", "", None, 2]


@valid.register
def _(_param: FileParam) -> list[Any]:
    return ["", f"sha256:{'0a' * 32}"]


@invalid.register
def _(_param: FileParam) -> list[Any]:
    return ["x", "0a" * 32, f"sha256:{'0A' * 32}", f"sha256:{'0a' * 31}", None, 1]


@valid.register
def _(_param: BlockParam) -> list[Any]:
    return ["4x4", "1x4", "16x1", "1x1", "3x5", f"{MOST}x{MOST}"]


@invalid.register
def _(_param: BlockParam) -> list[Any]:
    return ["0x4", "4x0", "4", "4:4", "4x4x4", "-1x4", f"1x{MOST + 1}", "", None, 4]
