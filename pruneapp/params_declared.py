"""What every parameter declares, and the check of several values at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pruneapp.errors import ParameterError, nearest


@dataclass(frozen=True, kw_only=True)
class Param(ABC):
    """One parameter. Subclasses say of which type.

    Attributes
    ----------
    name
        The keyword, as torch spells it where torch has it.
    label
        Two or three words for the form.
    help
        One line, a full sentence.
    default
        The value if nothing is said.
    unit
        What a number counts; empty if nothing.
    """

    name: str
    label: str
    help: str
    default: Any
    unit: str = ""

    def parse(self, text: str) -> Any:
        """Turn what a person typed into a valid value.

        Raises
        ------
        ParameterError
            If it breaks the rule; it repeats the text as it was typed.
        """
        try:
            return self.validate(self.read(text))
        except ValueError:  # as `ParameterError` is
            raise self.refuse(text) from None

    def read(self, text: str) -> Any:
        """Return the value that a text stands for, not yet validated; raises `ValueError`."""
        return text.strip()

    @abstractmethod
    def validate(self, value: Any) -> Any:
        """Return `value` in its canonical type; raises `ParameterError`."""

    def format(self, value: Any) -> str:
        """Return the text that `parse` turns into `value`."""
        return str(value)

    @abstractmethod
    def describe(self) -> str:
        """Say the rule, as the end of a sentence that begins with "must be"."""

    @abstractmethod
    def valid(self) -> Iterator[Any]:
        """Yield some values that are accepted, the borders among them."""

    @abstractmethod
    def invalid(self) -> Iterator[Any]:
        """Yield some values that are refused."""

    def refuse(self, got: object) -> ParameterError:
        """Return the error for a value that breaks the rule; it quotes no exotic space."""
        if isinstance(got, str):
            got = " ".join(got.split())
        return ParameterError(f"'{self.name}' must be {self.describe()} (got {got!r}).")


def validate_all(params: tuple[Param, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid value for each of `params`: the given one, else the default.

    Raises
    ------
    ParameterError
        For the first value that breaks its rule, and for a name that is not declared.
    """
    known = {p.name: p for p in params}
    for name in values:
        if name not in known:
            raise ParameterError(
                f"Unknown parameter '{name}'.", remedy=nearest(name, known, "parameters")
            )
    return {p.name: p.validate(values.get(p.name, p.default)) for p in params}
