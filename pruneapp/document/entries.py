"""What was done, as plain JSON: an object with a name and a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pruneapp.errors import ParameterError


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
        raise ParameterError(f"'{unknown[0]}' is not part of '{data['name']}'.")
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


def only_names(data: object, name: str) -> tuple[str, ...]:
    """Return the names of an entry called `name` that has nothing else; raises `ParameterError`."""
    found, given = named(data, {"names"})
    if found != name:
        raise ParameterError(f"The entry must have the name '{name}' (got {found!r}).")
    return names_of(name, given)
