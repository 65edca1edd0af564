"""Yes or no, and one of a few words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pruneapp.params_declared import Param


@dataclass(frozen=True, kw_only=True)
class FlagParam(Param):
    """Yes or no."""

    default: bool = False

    def read(self, text: str) -> bool:
        """Read yes and no, true and false, 1 and 0."""
        word = text.strip().lower()
        if word in {"yes", "true", "1", "on"}:
            return True
        if word in {"no", "false", "0", "off"}:
            return False
        raise self.refuse(text)

    def validate(self, value: Any) -> bool:
        """Accept booleans only."""
        if isinstance(value, bool):
            return value
        raise self.refuse(value)

    def describe(self) -> str:
        """Say the rule."""
        return "yes or no"

    def valid(self) -> Iterator[bool]:
        """Yield both."""
        yield from (True, False)

    def invalid(self) -> Iterator[Any]:
        """Yield other types."""
        yield from (2, "maybe", None)


@dataclass(frozen=True)
class Choice:
    """One of a few values, and the words for it."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class ChoiceParam(Param):
    """One of a few words."""

    choices: tuple[Choice, ...]

    def validate(self, value: Any) -> str:
        """Accept the words of `choices` only."""
        if isinstance(value, str) and any(value == c.value for c in self.choices):
            return value
        raise self.refuse(value)

    def describe(self) -> str:
        """Say the rule."""
        return "one of " + ", ".join(c.value for c in self.choices)

    def valid(self) -> Iterator[str]:
        """Yield every word."""
        yield from (c.value for c in self.choices)

    def invalid(self) -> Iterator[Any]:
        """Yield no word of ours."""
        yield from ("", "no such choice", None, 1)
