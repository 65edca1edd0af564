"""Sizes in bytes, as people write them: ``5 GB``, ``512 KiB``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

from pruneapp.params import is_number
from pruneapp.params_declared import Param

_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"k": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# 18 digits are more bytes than any disk has.
_BYTES = re.compile(
    r"(\d{1,18}(?:\.\d{1,18})?)\s*(?:([kmgt])(i)?)?b(?:ytes?)?", re.IGNORECASE | re.ASCII
)
_SPACES = str.maketrans("\u00a0\u202f\u2009", "   ")


def parse_bytes(text: str) -> int | None:
    """Read ``40MB``, ``1.5 GB``, ``512KiB`` or ``100 bytes``; None for anything else.

    kB, MB, GB and TB are powers of 1000, KiB, MiB, GiB and TiB of 1024. What is left of a byte is
    dropped.
    """
    found = _BYTES.fullmatch(text.translate(_SPACES).strip())
    if found is None:
        return None
    number, unit, binary = found.groups()
    letter = (unit or "").upper().replace("K", "k")
    return int(Fraction(number) * (_BINARY if binary else _DECIMAL)[letter])


def format_bytes(nbytes: int) -> str:
    """Return the shortest text that `parse_bytes` turns into `nbytes`: 5 GB, 4 GiB, 1 byte."""
    found = [f"{nbytes} {'byte' if nbytes == 1 else 'bytes'}"]
    for factors, end in ((_DECIMAL, "B"), (_BINARY, "iB")):
        for letter, factor in factors.items():
            # At most two digits behind the point, and none that are lost.
            whole, rest = divmod(nbytes * 100, factor)
            if letter and not rest and whole >= 100:
                number = f"{whole // 100}.{whole % 100:02}".rstrip("0").removesuffix(".")
                sign = letter.upper() if end == "iB" else letter
                found.append(f"{number} {sign}{end}")
    return min(found, key=len)


@dataclass(frozen=True, kw_only=True)
class SizeParam(Param):
    """A number of bytes of one or more; None where nothing is wanted.

    Attributes
    ----------
    nothing
        The word for None.
    usual
        Sizes that many people want, ascending.
    """

    default: int | None = None
    nothing: str = "any"
    usual: tuple[int, ...] = ()

    def read(self, text: str) -> int | None:
        """Read ``5 GB``, ``512KiB``, or the word for None; a number needs its unit."""
        if text.strip().casefold() in {"", self.nothing.casefold()}:
            return None
        nbytes = parse_bytes(text)
        if nbytes is None:
            raise self.refuse(text)
        return nbytes

    def validate(self, value: Any) -> int | None:
        """Accept whole numbers of one or more, and None."""
        if value is None:
            return None
        if is_number(value, Integral) and int(value) >= 1:
            return int(value)
        raise self.refuse(value)

    def format(self, value: int | None) -> str:
        """Write it with the unit that makes it short."""
        return self.nothing if value is None else format_bytes(value)

    def describe(self) -> str:
        """Say the rule."""
        return f"a size with its unit, such as 5 GB, 500 MB or 4 GiB, or '{self.nothing}'"

    def valid(self) -> Iterator[int | None]:
        """Yield the least, round ones of both kinds, and one that is not round."""
        yield from (None, 1, 1000, 1_500_000, 5 * 10**9, 4 * 2**30, 3 * 2**19, 1_234_567)

    def invalid(self) -> Iterator[Any]:
        """Yield what is no size."""
        yield from (0, -1, 0.5, "x", True)
