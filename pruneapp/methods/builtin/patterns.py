"""Parameters that are two numbers with a sign between them: ``2:4``, ``16x1``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pruneapp.params_declared import Param

_MOST = 1 << 16


@dataclass(frozen=True, kw_only=True)
class PatternParam(Param):
    """How many of how many weights stay, as ``n:m``."""

    name: str = "pattern"
    label: str = "Pattern"
    help: str = "Weights kept in each group: 2:4 keeps 2 of every 4."
    default: str = "2:4"

    def read(self, text: str) -> str:
        """Read ``2:4``."""
        return text.replace(" ", "")

    def validate(self, value: Any) -> str:
        """Accept two whole numbers, the first the smaller one."""
        found = _two(value, ":")
        if found is None or not 1 <= found[0] < found[1] <= _MOST:
            raise self.refuse(value)
        return f"{found[0]}:{found[1]}"

    def describe(self) -> str:
        """Say the rule."""
        return (
            "n:m, such as 2:4: n weights kept of every m, with n from 1 to m - 1 and m up to "
            f"{_MOST:,}"
        )

    def valid(self) -> Iterator[str]:
        """Yield the usual ones and the borders."""
        yield from ("2:4", "4:8", "1:2", "3:4", "1:4", f"1:{_MOST}", "7:32")

    def invalid(self) -> Iterator[Any]:
        """Yield what leaves nothing or takes nothing, and other words."""
        yield from ("4:4", "0:4", "4:2", "2-4", "2:4:8", "-1:4", f"1:{_MOST + 1}", "", None, 2)


@dataclass(frozen=True, kw_only=True)
class BlockParam(Param):
    """Rows by columns of a block, as ``rxc``."""

    name: str = "block"
    label: str = "Block"
    help: str = (
        "Rows by columns of a block; a convolution is treated as filters by all other dimensions."
    )
    default: str = "4x4"

    def read(self, text: str) -> str:
        """Read ``4x4``, with a cross as well."""
        return text.replace(" ", "").replace("×", "x").replace("X", "x")

    def validate(self, value: Any) -> str:
        """Accept two whole numbers of 1 or more."""
        found = _two(value, "x")
        if found is None or not (1 <= found[0] <= _MOST and 1 <= found[1] <= _MOST):
            raise self.refuse(value)
        return f"{found[0]}x{found[1]}"

    def describe(self) -> str:
        """Say the rule."""
        return f"rows x columns, each from 1 to {_MOST:,}, such as 4x4"

    def valid(self) -> Iterator[str]:
        """Yield the usual ones and the borders."""
        yield from ("4x4", "1x4", "16x1", "1x1", "3x5", f"{_MOST}x{_MOST}")

    def invalid(self) -> Iterator[Any]:
        """Yield blocks of nothing, and other words."""
        yield from ("0x4", "4x0", "4", "4:4", "4x4x4", "-1x4", f"1x{_MOST + 1}", "", None, 4)


def pattern_sizes(pattern: str) -> tuple[int, int]:
    """Return n and m of a valid pattern."""
    n, m = pattern.split(":")
    return int(n), int(m)


def block_sizes(block: str) -> tuple[int, int]:
    """Return the rows and columns of a valid block."""
    rows, columns = block.split("x")
    return int(rows), int(columns)


def parse_pattern(text: str) -> tuple[int, int]:
    """Read ``2:4``; raises `ParameterError`."""
    return pattern_sizes(PatternParam().parse(text))


def _two(value: Any, sign: str) -> tuple[int, int] | None:
    if not isinstance(value, str):
        return None
    found = re.fullmatch(rf"([0-9]{{1,9}}){re.escape(sign)}([0-9]{{1,9}})", value)
    return None if found is None else (int(found[1]), int(found[2]))
