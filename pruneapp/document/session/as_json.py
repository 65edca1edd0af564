"""Data as JSON, with names of files in it that may be no text.

A name on Linux is bytes. Those that are no UTF-8 are halves of surrogate pairs in Python, which
msgspec refuses; JSON has a way to say them.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

# How the halves begin that Python makes of such bytes.
_HALF = b"\\udc"


def encoded(value: Any) -> bytes:
    """Return plain data, or structs of it, as UTF-8 JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value)).encode()


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
