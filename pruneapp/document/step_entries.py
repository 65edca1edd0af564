"""What was done, as plain JSON: an object with a name and a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pruneapp.errors import ParameterError, nearest


def named(data: object, known: set[str]) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the configuration of an entry.

    Parameters
    ----------
    data
        ``{"name": ..., "configuration": {...}}``; without a configuration it has none.
    known
        Keys that the configuration may have.

    Raises
    ------
    ParameterError
        If it is no such object, or has a key that is not known.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
        raise ParameterError(f"An object with 'name' and 'configuration' is needed (got {data!r}).")
    given = data.get("configuration", {})
    if not isinstance(given, Mapping):
        raise ParameterError(f"'configuration' must be an object (got {given!r}).")
    unknown = sorted(str(key) for key in given if key not in known)
    if unknown:
        raise ParameterError(
            f"Unknown key '{unknown[0]}' in '{data['name']}'.",
            remedy=nearest(unknown[0], sorted(known), "keys"),
        )
    return data["name"], given


def names_of(name: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of tensors in the configuration of an entry, maybe none.

    Parameters
    ----------
    name
        Of the entry, for messages.
    given
        Its configuration.

    Raises
    ------
    ParameterError
        If they are no list of names.
    """
    names = given.get("names", ())
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise ParameterError(f"'names' of '{name}' must be a list of names (got {names!r}).")
    return tuple(names)


@dataclass(frozen=True)
class OnTensors:
    """Something that is done to whole tensors, and needs nothing said but which.

    Attributes
    ----------
    NAME
        Of the entry; each kind has its own.
    names
        Any names of the tensors.
    """

    NAME: ClassVar[str]

    names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {"name": self.NAME, "configuration": {"names": list(self.names)}}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Make it from what `to_dict` returned; raises `ParameterError`."""
        found, given = named(data, {"names"})
        if found != cls.NAME:
            raise ParameterError(f"The entry must have the name '{cls.NAME}' (got {found!r}).")
        return cls(names_of(found, given))
