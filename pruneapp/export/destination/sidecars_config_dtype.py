"""The type of the weights that config.json names: transformers loads them as that.

Measured with transformers 5: ``from_pretrained(folder)`` takes the type from ``"dtype"``, or the
older ``"torch_dtype"``, and that of the weights only where the configuration names none. Rounded
weights beside the configuration of the original come out as float32 again; and those of an export
without rounding, into the folder of one with, would come out as bfloat16.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import JsonError
from pruneapp.export.destination.sidecars import CONFIG, companions, copy_of, is_home, reading
from pruneapp.export.format import Plan
from pruneapp.export.rounding import DTYPE, KEEP
from pruneapp.json_codec import load_object

_KEYS = frozenset({"dtype", "torch_dtype"})
_TYPE = re.compile(r"(torch\.)?(float64|float32|float16|bfloat16)")
_BETWEEN = re.compile(r"[\s,:]*")


def copy_with(path: Path, values: Mapping[str, Any]) -> Plan:
    """Plan a copy of a configuration that names another type, and nothing else differently.

    Parameters
    ----------
    path
        The configuration; one that is not JSON, or names no type of real numbers, is copied as it
        is.
    values
        Of the parameters of the export; where they round to no type it is copied as it is.

    Raises
    ------
    ExportError
        If it cannot be read.
    """
    dtype = values.get(DTYPE.name, KEEP)
    text = "" if dtype == KEEP else _text(path)
    found = [one for one in _found(text) if one.dtype != dtype]
    if not found:
        return replace(copy_of(path), notices=_unread(path, text)) if text else copy_of(path)
    for one in reversed(found):
        text = text[: one.start] + dtype + text[one.stop :]
    data = text.encode()
    said = (
        f"'{path.name}': dtype changed from {found[0].dtype} to {dtype}, so that transformers "
        "loads the weights as they were written."
    )
    return Plan(len(data), lambda: iter((data,)), {}, notices=(said,))


def _unread(path: Path, text: str) -> tuple[str, ...]:
    try:
        load_object(text, constants=True)
    except JsonError as error:
        return (
            (
                f"'{path.name}' of the opened model was copied as it is, for it cannot be read "
                f"({error.what}); if it names a type of the weights, that is the old one."
            ),
        )
    return ()


def left(checkpoint: Checkpoint, folder: Path, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Say of a configuration that is not ours to change that it names another type.

    Parameters
    ----------
    checkpoint
        What is exported. Its own configuration says of its weights what it said before.
    folder
        Where the configuration lies, if there is one.
    values
        Of the parameters of the export; where they round to no type, weights keep the one that
        their own configuration names, else the one that most of them have.

    Raises
    ------
    ExportError
        If one cannot be read.
    """
    path, dtype = folder / CONFIG, values.get(DTYPE.name, KEEP)
    if not path.is_file():
        return ()
    if dtype == KEEP:
        dtype = "" if is_home(checkpoint, folder) else _kept(checkpoint)
    if not dtype:
        return ()
    text = _text(path)
    old = next((one.dtype for one in _found(text) if one.dtype != dtype), "")
    if not old:
        return ()
    return (
        (
            f"'{path}' was left as it was. It says that the weights are {old}, and transformers "
            f"will load them as that, unless you write {dtype} in the place of it."
        ),
    )


def differ_otherwise(one: Path, other: Path) -> bool:
    """Whether two configurations differ in more than the type that they name.

    Raises
    ------
    ExportError
        If one cannot be read.
    """
    return _without_type(_text(one)) != _without_type(_text(other))


def _without_type(text: str) -> str:
    for found in reversed(_found(text)):
        text = text[: found.start] + text[found.stop :]
    return text


def _kept(checkpoint: Checkpoint) -> str:
    """Return the type that transformers should load weights as that are not rounded."""
    own = companions(checkpoint).get(CONFIG)
    if own is not None and (found := _found(_text(own))):
        return found[0].dtype
    counts: Counter[str] = Counter()
    for entry in checkpoint.entries.values():
        if _TYPE.fullmatch(entry.dtype.label):
            counts[entry.dtype.label] += entry.numel
    return max(counts, key=counts.__getitem__, default="")


def _text(path: Path) -> str:
    with reading(path):
        data = path.read_bytes()  # a companion, which is small
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


class _Named(NamedTuple):
    """A type that is named in a text, from one character to before another."""

    start: int
    stop: int
    dtype: str


def _found(text: str) -> list[_Named]:
    """Return where the outermost object of a JSON names a type."""
    try:
        load_object(text, constants=True)
    except JsonError:
        return []
    decoder = json.JSONDecoder()
    found = []
    at = text.index("{") + 1
    while text[at := _after(text, at)] != "}":
        key, at = decoder.raw_decode(text, at)
        start = _after(text, at)
        value, at = decoder.raw_decode(text, start)
        named = _TYPE.fullmatch(value) if key in _KEYS and isinstance(value, str) else None
        if named is not None and text[start + 1 : at - 1] == value:  # spelled without escapes
            found.append(_Named(start + 1 + named.start(2), at - 1, named[2]))
    return found


def _after(text: str, at: int) -> int:
    between = _BETWEEN.match(text, at)
    return at if between is None else between.end()
