"""Data as JSON, with names of files in it that may be no text.

A name on Linux is bytes. Those that are no UTF-8 are halves of surrogate pairs in Python, which
msgspec refuses; JSON has a way to say them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

# How the halves begin that Python makes of such bytes.
_HALF = b"\\udc"


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """Return plain data, structs of it and paths as UTF-8 JSON, in one line if not indented."""
    try:
        data = msgspec.json.encode(value, enc_hook=_word)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value, enc_hook=_word), indent=indent).encode()
    return data if indent is None else msgspec.json.format(data, indent=indent)


def _word(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"nobody said how a {type(value).__name__} is told")


def as_told(data: bytes, kind: Any) -> Any:
    """Return what `encoded` was given: of a kind, which is a type or a union of types.

    Raises
    ------
    MsgspecError, RecursionError, UnicodeDecodeError
        If it is something else.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        if _HALF not in data:
            raise
        try:
            return msgspec.convert(json.loads(data), kind)
        except ValueError as error:  # of halves where msgspec looks for a word, too
            raise msgspec.DecodeError(str(error)) from None
