"""JSON as headers and indexes use it, with what Python's parser lets pass refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class RuleError(ValueError):
    """A rule of JSON, or of ours, that a text breaks, as a phrase."""


def load_object(text: bytes) -> dict[str, Any]:
    """Parse a JSON object.

    Raises
    ------
    RuleError
        If it is not UTF-8, not JSON, not an object, holds a key twice, half a surrogate pair, a
        number that no 64-bit float can be, or is nested too deeply.
    """
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise RuleError(f"it is not UTF-8 text at byte {error.start:,}") from None
    try:
        tree = json.loads(
            decoded,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_whole if b"-0" in text else None,
        )
        if _SURROGATE.search(text):
            # Half a character can be written in JSON, but is no text.
            json.dumps(tree, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RuleError("it holds half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise RuleError(f"it is not JSON: {error.msg.lower()} at character {error.pos:,}") from None
    except RuleError:
        raise
    except ValueError:  # Python refuses integers of thousands of digits
        raise RuleError("it holds a number of thousands of digits") from None
    except RecursionError:
        raise RuleError("it is nested too deeply") from None
    if type(tree) is not dict:
        raise RuleError("it is not a JSON object")
    return tree


def show(name: str) -> str:
    """Make text from a file fit for a message: no control characters, at most 80 long."""
    if len(name) > 80:
        name = f"{name[:50]}…{name[-29:]}"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RuleError(f"'{show(key)}' appears twice in it")
            seen.add(key)
    return found


def _refuse_constant(text: str) -> Any:
    raise RuleError(f"it holds {text}, which is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise RuleError(f"the number {text[:40]} in it is too large")
    return value


def _whole(text: str) -> float | int:
    # -0 is no whole number to the reference.
    return -0.0 if text == "-0" else int(text)
