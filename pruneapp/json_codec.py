"""Strict JSON: parse external text by schema, and encode our own data.

Recipes, sessions, journals, settings, indexes and metadata of checkpoints are all read with `load`
or `decode`. Errors are `JsonError` with a phrase and a location, never other exceptions: for
invalid UTF-8, duplicate keys, NaN and infinities, lone surrogates, numbers out of range, too deep
nesting, and in `decode` any value of another type than declared.

File names on Linux are bytes. If they are not valid UTF-8, Python represents them with lone
surrogates, which msgspec rejects; JSON can contain them as escapes, so `encode` writes them and
`decode` accepts them where file names are allowed.
"""

from __future__ import annotations

import json
import math
import re
import stat
import threading
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, overload

from pruneapp.errors import JsonError, PruneAppError, suggest_nearest, words_of

T = TypeVar("T")

# Maximum nesting of objects and arrays: that of safetensors' reference implementation.
MAX_DEPTH = 127
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# Integers with fewer digits fit into 64 bits.
_LONG = re.compile(r"[0-9]{19}")
_PLACE = re.compile(r"(?s)(.*?)(?: - at (?:the key in )?`\$(.*)`)?\Z")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"(?s)Object contains unknown field `(.*)`")
_MISSING = re.compile(r"(?s)Object missing required field `(.*)`")
_EXPECTED = re.compile(r"Expected `([^`]*)`(?: (.*?))?(?:, got `?([^`]*)`?)?")
_BOUND = re.compile(r"(of length )?(>=|<=|>|<)? ?(\S+)")
_AT = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
# JSON type names for Python type names.
_TYPES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_ESCAPE = re.compile(rb"(?s)\\.")
_STRING = re.compile(rb'"[^"]*"?')
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_CLOSED_BY = {ord("["): ord("]"), ord("{"): ord("}")}


def encode(value: Any, *, indent: int | None = None) -> bytes:
    """Return data, structs and paths as UTF-8 JSON, on one line unless `indent` is given.

    NaN and infinities become null. Integers may have any size. Raises `TypeError` for other types.
    """
    import msgspec  # not needed for reading headers

    try:
        data = msgspec.json.encode(value, enc_hook=_encode_path)
    except (UnicodeEncodeError, OverflowError):  # integers of more than 64 bits are valid JSON
        plain = msgspec.to_builtins(value, enc_hook=_encode_path)
        return json.dumps(_replace_non_finite(plain), indent=indent).encode()
    return data if indent is None else msgspec.json.format(data, indent=indent)


def _encode_path(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def _replace_non_finite(value: Any) -> Any:
    # Non-finite numbers become null, as in msgspec.
    if isinstance(value, dict):
        return {key: _replace_non_finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_non_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read(path: Path, kind: str, most: int, error: type[PruneAppError]) -> bytes:
    """Return the content of a small file; `kind` (such as ``recipe``) is used in messages.

    Raises
    ------
    PruneAppError
        Of type `error`, if the file cannot be read, is not a regular file or is larger than `most`
        bytes.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a device or a pipe may never end
            raise error(
                f"'{path}' is not a regular file, so it cannot be read as a {kind}.",
                remedy="Choose another file.",
            )
        if status.st_size > most:
            raise error(
                f"'{path}' is too large for a {kind}: it has {status.st_size:,} bytes.",
                remedy="Choose another file.",
            )
        return path.read_bytes()
    except OSError as refused:
        raise error(
            f"'{path}' cannot be read: {words_of(refused)}.",
            remedy=(
                "Check your permissions."
                if isinstance(refused, PermissionError)
                else "Check the name and the folder."
            ),
        ) from None
    except ValueError:
        raise error(f"'{path}' is not a valid file name.", remedy="Check the name.") from None


def load(
    text: bytes | str, where: str = "", *, file_names: bool = False, constants: bool = False
) -> Any:
    """Parse JSON strictly.

    As fast as Python's own parser; nesting is checked before parsing.

    Parameters
    ----------
    text
        UTF-8 bytes or a string.
    where
        Name of the file, for messages.
    file_names
        Whether file names that are not valid UTF-8 are allowed, as `encode` writes them.
    constants
        Whether NaN and infinities are allowed, which Python writes although they are not JSON.

    Raises
    ------
    JsonError
        If the text is not UTF-8, not JSON, nested deeper than `MAX_DEPTH`, or contains a duplicate
        key, a lone surrogate, a float out of range, or an integer of thousands of digits.
    """
    try:
        raw = text.encode() if isinstance(text, str) else text
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise JsonError(f"it is not UTF-8 text at byte {error.start:,}", where) from None
    except UnicodeEncodeError as error:
        raise JsonError(f"it contains half of a surrogate pair at {error.start:,}", where) from None
    if _is_too_deep(raw):
        raise JsonError(f"it is nested too deeply: at most {MAX_DEPTH} levels are allowed", where)
    try:
        tree = json.loads(
            decoded,
            object_pairs_hook=_check_unique_keys,
            parse_constant=None if constants else _refuse_constant,
            parse_float=_parse_float,
            parse_int=_parse_integer if b"-0" in raw else None,
        )
        if _SURROGATE.search(raw):
            # A lone surrogate can be escaped in JSON, but is not text. Python uses it for
            # undecodable bytes.
            dumped = json.dumps(tree, ensure_ascii=False)
            dumped.encode(errors="surrogateescape" if file_names else "strict")
    except UnicodeEncodeError:
        raise JsonError("it contains half of a surrogate pair", where) from None
    except json.JSONDecodeError as error:
        at = f"character {error.pos:,}" if error.lineno == 1 else f"line {error.lineno:,}"
        at += f", column {error.colno:,}" * (error.lineno > 1)
        raise JsonError(
            f"it is not JSON: {error.msg.lower().removesuffix(' at')} at {at}", where
        ) from None
    except _Broken as error:
        raise JsonError(str(error), where) from None
    except ValueError:  # raised by Python for integers of thousands of digits
        raise JsonError("it contains a number with thousands of digits", where) from None
    except RecursionError:  # the caller's stack is almost full
        raise JsonError("it is nested too deeply", where) from None
    return tree


def load_object(
    text: bytes | str, where: str = "", *, file_names: bool = False, constants: bool = False
) -> dict[str, Any]:
    """Parse a JSON object strictly, like `load`; raise `JsonError` for any other value."""
    tree = load(text, where, file_names=file_names, constants=constants)
    if type(tree) is not dict:
        raise JsonError("it is not a JSON object", where)
    return tree


@overload
def decode(text: bytes | str, kind: type[T], where: str = "", *, file_names: bool = False) -> T: ...
@overload
def decode(
    text: bytes | str, kind: UnionType, where: str = "", *, file_names: bool = False
) -> Any: ...
def decode(text: bytes | str, kind: Any, where: str = "", *, file_names: bool = False) -> Any:
    """Parse JSON strictly as a type.

    `kind` is a type, or a union of types, that msgspec supports; other arguments as in `load`.

    Raises
    ------
    JsonError
        As in `load`; also with the location of a value of another type, or of an integer of `kind`
        that does not fit in 64 bits. Keys that `kind` does not declare may have any number.
    """
    tree = load(text, where, file_names=file_names)
    found = convert(tree, kind, where)
    if _LONG.search(text if isinstance(text, str) else text.decode()):
        import msgspec

        beyond = _find_large_integer(msgspec.to_builtins(found), "")
        if beyond is not None:
            raise JsonError("it contains an integer that does not fit in 64 bits", where, beyond)
    return found


# msgspec analyzes a type on first use, and exposes the incomplete result: two threads doing so at
# the same time crash the process.
_FIRST = threading.RLock()
_READY: set[Any] = set()


@overload
def convert(tree: Any, kind: type[T], where: str = "") -> T: ...
@overload
def convert(tree: Any, kind: UnionType, where: str = "") -> Any: ...
def convert(tree: Any, kind: Any, where: str = "") -> Any:
    """Convert plain data to a type; raise `JsonError` as `decode` does.

    Integers of any size are accepted where `kind` does not bound them. May be called from any
    thread.
    """
    import msgspec

    try:
        if kind in _READY:
            return msgspec.convert(tree, kind)
        with _FIRST:
            try:
                return msgspec.convert(tree, kind)
            finally:
                _READY.add(kind)
    except UnicodeEncodeError:  # lone surrogates in a literal or key
        raise JsonError("it contains half of a surrogate pair", where) from None
    except msgspec.ValidationError as error:
        found = _PLACE.match(str(error))
        assert found is not None  # the pattern matches everything
        what, remedy = _explain_error(found[1], found[2] or "", tree, kind)
        raise JsonError(what, where, (found[2] or "").lstrip("."), remedy) from None


def _explain_error(text: str, place: str, tree: Any, kind: Any) -> tuple[str, str]:
    """Return msgspec's message in JSON terms, and the allowed values.

    `text` is its message, `place` the path of the value (``.entries[0].name``), `tree` the
    converted data and `kind` the type. The second text is "" if there is nothing to list.
    """
    from msgspec import inspect

    steps = [match[1] or match[2] for match in _STEP.finditer(place)]
    got = _value_at(tree, steps)
    if match := _UNKNOWN.fullmatch(text):
        keys = [
            key
            for one in _types_at(inspect.type_info(kind), steps, tree)
            if isinstance(one, inspect.StructType)
            for key in (one.tag_field, *(field.encode_name for field in one.fields))
            if key is not None
        ]
        return f"unknown key '{match[1]}'", suggest_nearest(match[1], keys, "keys")
    if match := _MISSING.fullmatch(text):
        return f"the key '{match[1]}' is missing", f"Add '{match[1]}'."
    if text.startswith("Invalid"):
        words: list[str] = []
        for one in _types_at(inspect.type_info(kind), steps, tree):
            if isinstance(one, inspect.LiteralType):
                words += map(str, one.values)
        if not words and steps:  # the tag that distinguishes objects of a union
            for one in _types_at(inspect.type_info(kind), steps[:-1], tree, tagged=False):
                if isinstance(one, inspect.StructType) and one.tag_field == steps[-1]:
                    words.append(str(one.tag))
        if words:
            return f"{_shown(got)} is not an allowed value", suggest_nearest(str(got), words)
    if match := _EXPECTED.fullmatch(text):
        names = match[1].split(" | ")
        names.remove("int") if {"int", "float"} <= {*names} else None
        types = " or ".join(_TYPES.get(one, f"'{one}'") for one in names)
        rule = f" {_bound(match[2])}" if match[2] else ""
        return f"expected {types}{rule}, got {match[3] if rule and match[3] else _shown(got)}", ""
    first = text[:1] if text[1:2].isupper() else text[:1].lower()  # keep the abbreviation JSON
    return first + text[1:].rstrip(".").replace("`", "'"), ""


def _types_at(kind: Any, steps: list[str], tree: Any, *, tagged: bool = True) -> list[Any]:
    """Return the possible types at `steps`, a list of keys and indices, as msgspec describes them.

    The tag of an object in `tree` selects a struct of a union; not of the last object if `tagged`
    is False. Empty if `kind` declares nothing there.
    """
    from msgspec import inspect

    kinds = [kind]
    for number in range(len(steps) + 1):
        flat: list[Any] = []
        for one in kinds:
            plain = one.type if isinstance(one, inspect.Metadata) else one
            flat += plain.types if isinstance(plain, inspect.UnionType) else [plain]
        here = _value_at(tree, steps[:number])
        if type(here) is dict and (tagged or number < len(steps)):
            flat = [
                one
                for one in flat
                if not isinstance(one, inspect.StructType)
                or one.tag_field is None
                or here.get(one.tag_field) == one.tag
            ]
        if number == len(steps):
            return flat
        kinds = [inside for one in flat for inside in _types_inside(one, steps[number])]
    return []


def _types_inside(kind: Any, step: str) -> list[Any]:
    """Return the types that a type declares for the key or index `step`; empty if it has none."""
    from msgspec import inspect

    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == step]
    if isinstance(kind, inspect.TupleType):
        return list(kind.item_types[int(step) : int(step) + 1]) if step.isdigit() else []
    if isinstance(kind, inspect.DictType):
        return [kind.value_type]
    return [kind.item_type] if hasattr(kind, "item_type") else []


def _value_at(tree: Any, steps: list[str]) -> Any:
    """Return the value at `steps`, a list of keys and indices; None if there is none."""
    for step in steps:
        if type(tree) is dict and step in tree:
            tree = tree[step]
        elif type(tree) is list and step.isdigit() and int(step) < len(tree):
            tree = tree[int(step)]
        else:
            return None
    return tree


def _bound(rule: str) -> str:
    match = _BOUND.fullmatch(rule)
    if match is None:
        return rule
    size = f"{_AT[match[2]]} {match[3]}" if match[2] else match[3]
    return f"with {size} item{'' if match[3] == '1' else 's'}" if match[1] else f"of {size}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if type(value) is dict:
        return "an object"
    return f"an array of {len(value):,}" if type(value) is list else json.dumps(value)


class _Broken(Exception):  # noqa: N818 - internal; the text is a phrase
    pass


def _is_too_deep(raw: bytes) -> bool:
    """Return whether objects and arrays are nested deeper than `MAX_DEPTH`; linear in the text.

    False for text that is no JSON, if it fails to parse before that depth.
    """
    if b"\\" in raw:
        raw = _ESCAPE.sub(b"", raw)
    # Removing adjacent quotation marks does not change the meaning of the others.
    left = raw.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in left:
        left = _STRING.sub(b"", left)
    # Repeated siblings have equal depth; this removes almost all of a safetensors header.
    for one in (b"[]", b"{}", b"{[]}"):
        while 2 * one in left:
            left = left.replace(2 * one, one)
    closing: list[int] = []
    for char in left:
        if (close := _CLOSED_BY.get(char)) is not None:
            closing.append(close)
            if len(closing) > MAX_DEPTH:
                return True
        elif not closing or closing.pop() != char:
            break  # parsers fail here
    return False


def _find_large_integer(tree: Any, place: str) -> str | None:
    """Return the location of the first integer outside -2**63 to 2**64 - 1; None without any.

    `place` is the location of `tree`, to which keys and indices are added.
    """
    if type(tree) is int:
        return None if -(1 << 63) <= tree < 1 << 64 else place
    duplicate: str | None = None
    if type(tree) is dict:
        for key, value in tree.items():
            if (
                duplicate := _find_large_integer(value, f"{place}.{key}" if place else key)
            ) is not None:
                break
    elif type(tree) is list:
        for number, value in enumerate(tree):
            if (duplicate := _find_large_integer(value, f"{place}[{number}]")) is not None:
                break
    return duplicate


def _check_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs of an object as a dict; raise `_Broken` if a key appears twice."""
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Broken(f"'{key}' appears twice in it")
            seen.add(key)
    return result


def _refuse_constant(text: str) -> Any:
    raise _Broken(f"it contains {text}, which is not JSON")


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Broken(f"the number {text[:40]} in it is too large")
    return value


def _parse_integer(text: str) -> float | int:
    # The reference implementation does not accept -0 as an integer.
    return -0.0 if text == "-0" else int(text)
