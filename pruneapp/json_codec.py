"""JSON: what comes from outside is parsed strictly and by its schema; ours is encoded.

Recipes, sessions, journals, settings, indexes and the metadata of checkpoints all come through
`load` or `decode`. What those refuse is a `JsonError` with a phrase and a place, never the
exception of some parser: text that is not UTF-8 anywhere, a key that comes twice, NaN and
infinities, half a character, a number that nothing can hold, levels without end, and, for
`decode`, anything of another type than is declared.

A name of a file on Linux is bytes. Those that are no UTF-8 are halves of surrogate pairs in Python,
which msgspec refuses; JSON has a way to write them, so that `encoded` does, and `decode` reads them
where names of files may stand.
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

from pruneapp.errors import JsonError, PruneAppError, nearest, words_of

T = TypeVar("T")

# Objects and lists within each other: as many as the reference reads of a safetensors header.
MAX_DEPTH = 127
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# 64 bits hold whatever has fewer digits.
_LONG = re.compile(r"[0-9]{19}")
_PLACE = re.compile(r"(?s)(.*?)(?: - at (?:the key in )?`\$(.*)`)?\Z")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"(?s)Object contains unknown field `(.*)`")
_MISSING = re.compile(r"(?s)Object missing required field `(.*)`")
_EXPECTED = re.compile(r"Expected `([^`]*)`(?: (.*?))?(?:, got `?([^`]*)`?)?")
_BOUND = re.compile(r"(of length )?(>=|<=|>|<)? ?(\S+)")
_AT = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
# What JSON calls its types, for what Python calls them.
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


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """Return plain data, structs of it and paths as UTF-8 JSON, in one line if not indented."""
    import msgspec  # not for those who only read headers

    try:
        data = msgspec.json.encode(value, enc_hook=_word)
    except (UnicodeEncodeError, OverflowError):  # integers of more than 64 bits are JSON, too
        plain = msgspec.to_builtins(value, enc_hook=_word)
        return json.dumps(_finite_only(plain), indent=indent).encode()
    return data if indent is None else msgspec.json.format(data, indent=indent)


def _word(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def _finite_only(value: Any) -> Any:
    # As msgspec writes them.
    if isinstance(value, dict):
        return {key: _finite_only(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite_only(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read(path: Path, kind: str, most: int, error: type[PruneAppError]) -> bytes:
    """Return the bytes of a small file: a `kind` of JSON, such as ``recipe``, or of text.

    Raises
    ------
    PruneAppError
        Of the type `error`, if it cannot be read, is no regular file or larger than `most` bytes.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a device has no end, and a pipe no beginning
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

    Time and memory are those of Python's own parser; levels are counted before it goes down them.

    Parameters
    ----------
    where
        What a message should name: the file.
    file_names
        Whether names of files that are no UTF-8 may stand in it, as `encoded` writes them.
    constants
        Whether NaN and infinities may, which is no JSON but what Python writes.

    Raises
    ------
    JsonError
        If it is not UTF-8, not JSON, nested deeper than `MAX_DEPTH`, or holds a key twice, half a
        character, a number that no 64-bit float can be, or one of thousands of digits.
    """
    try:
        raw = text.encode() if isinstance(text, str) else text
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise JsonError(f"it is not UTF-8 text at byte {error.start:,}", where) from None
    except UnicodeEncodeError as error:
        raise JsonError(f"it holds half of a surrogate pair at {error.start:,}", where) from None
    if _too_deep(raw):
        raise JsonError(f"it is nested too deeply: at most {MAX_DEPTH} levels are allowed", where)
    try:
        tree = json.loads(
            decoded,
            object_pairs_hook=_unique,
            parse_constant=None if constants else _refuse_constant,
            parse_float=_finite,
            parse_int=_whole if b"-0" in raw else None,
        )
        if _SURROGATE.search(raw):
            # Half a character can be written in JSON, but is no text. Python makes these of bytes.
            dumped = json.dumps(tree, ensure_ascii=False)
            dumped.encode(errors="surrogateescape" if file_names else "strict")
    except UnicodeEncodeError:
        raise JsonError("it holds half of a surrogate pair", where) from None
    except json.JSONDecodeError as error:
        at = f"character {error.pos:,}" if error.lineno == 1 else f"line {error.lineno:,}"
        at += f", column {error.colno:,}" * (error.lineno > 1)
        raise JsonError(
            f"it is not JSON: {error.msg.lower().removesuffix(' at')} at {at}", where
        ) from None
    except _Broken as error:
        raise JsonError(str(error), where) from None
    except ValueError:  # Python refuses integers of thousands of digits
        raise JsonError("it holds a number with thousands of digits", where) from None
    except RecursionError:  # called with hardly any stack left
        raise JsonError("it is nested too deeply", where) from None
    return tree


def load_object(
    text: bytes | str, where: str = "", *, file_names: bool = False, constants: bool = False
) -> dict[str, Any]:
    """Parse a JSON object strictly; as `load`, and `JsonError` for anything but an object."""
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
    """Read JSON as what it ought to be, strictly.

    `kind` is a type, or a union of types, that msgspec knows; the rest is as of `load`.

    Raises
    ------
    JsonError
        As of `load`, and if anything in it is of another type, with its place; or an integer of
        `kind` that 64 bits do not hold. Keys that `kind` does not have may hold any number.
    """
    tree = load(text, where, file_names=file_names)
    found = convert(tree, kind, where)
    if _LONG.search(text if isinstance(text, str) else text.decode()):
        import msgspec

        beyond = _beyond(msgspec.to_builtins(found), "")
        if beyond is not None:
            raise JsonError("it holds an integer that does not fit in 64 bits", where, beyond)
    return found


# msgspec finds out what a type is made of when it is first asked, and lets others see it half done:
# two threads that ask at once crash the process.
_FIRST = threading.RLock()
_READY: set[Any] = set()


@overload
def convert(tree: Any, kind: type[T], where: str = "") -> T: ...
@overload
def convert(tree: Any, kind: UnionType, where: str = "") -> Any: ...
def convert(tree: Any, kind: Any, where: str = "") -> Any:
    """Return plain data as what it ought to be; raises `JsonError` as `decode` does."""
    import msgspec

    try:
        if kind in _READY:
            return msgspec.convert(tree, kind)
        with _FIRST:
            try:
                return msgspec.convert(tree, kind)
            finally:
                _READY.add(kind)
    except UnicodeEncodeError:  # of halves where msgspec looks for a word of its own
        raise JsonError("it holds half of a surrogate pair", where) from None
    except msgspec.ValidationError as error:
        found = _PLACE.match(str(error))
        assert found is not None  # the pattern matches everything
        what, remedy = _explained(found[1], found[2] or "", tree, kind)
        raise JsonError(what, where, (found[2] or "").lstrip("."), remedy) from None


def _explained(text: str, place: str, tree: Any, kind: Any) -> tuple[str, str]:
    """Return what msgspec says of a value in the words of JSON, and what is allowed there.

    `said` is its sentence, and `place` the path of the value: ``.entries[0].name``.
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
        return f"unknown key '{match[1]}'", nearest(match[1], keys, "keys")
    if match := _MISSING.fullmatch(text):
        return f"the key '{match[1]}' is missing", f"Add '{match[1]}'."
    if text.startswith("Invalid"):
        words: list[str] = []
        for one in _types_at(inspect.type_info(kind), steps, tree):
            if isinstance(one, inspect.LiteralType):
                words += map(str, one.values)
        if not words and steps:  # the word that tells objects of a union apart
            for one in _types_at(inspect.type_info(kind), steps[:-1], tree, tagged=False):
                if isinstance(one, inspect.StructType) and one.tag_field == steps[-1]:
                    words.append(str(one.tag))
        if words:
            return f"{_shown(got)} is not an allowed value", nearest(str(got), words)
    if match := _EXPECTED.fullmatch(text):
        names = match[1].split(" | ")
        names.remove("int") if {"int", "float"} <= {*names} else None
        types = " or ".join(_TYPES.get(one, f"'{one}'") for one in names)
        rule = f" {_bound(match[2])}" if match[2] else ""
        return f"expected {types}{rule}, got {match[3] if rule and match[3] else _shown(got)}", ""
    first = text[:1] if text[1:2].isupper() else text[:1].lower()  # JSON stays JSON
    return first + text[1:].rstrip(".").replace("`", "'"), ""


def _types_at(kind: Any, steps: list[str], tree: Any, *, tagged: bool = True) -> list[Any]:
    """Return the types that a value may have; of structs in a union the one that its tag names."""
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
        kinds = [inside for one in flat for inside in _inside(one, steps[number])]
    return []


def _inside(kind: Any, step: str) -> list[Any]:
    from msgspec import inspect

    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == step]
    if isinstance(kind, inspect.TupleType):
        return list(kind.item_types[int(step) : int(step) + 1]) if step.isdigit() else []
    if isinstance(kind, inspect.DictType):
        return [kind.value_type]
    return [kind.item_type] if hasattr(kind, "item_type") else []


def _value_at(tree: Any, steps: list[str]) -> Any:
    """Return a value of a tree; None where msgspec does not say which it is."""
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


class _Broken(Exception):  # noqa: N818 - never seen outside: a rule that is broken, as a phrase
    pass


def _too_deep(raw: bytes) -> bool:
    """Whether a parser would go down more than `MAX_DEPTH` levels; linear in the text."""
    if b"\\" in raw:
        raw = _ESCAPE.sub(b"", raw)
    # Taking away two quotation marks that stand side by side leaves the others what they were.
    left = raw.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in left:
        left = _STRING.sub(b"", left)
    # Neighbours are as deep as one of them; a header of safetensors is next to nothing then.
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
            break  # no parser goes on behind this
    return False


def _beyond(tree: Any, place: str) -> str | None:
    """Return where a whole number stands that 64 bits do not hold; None if there is none."""
    if type(tree) is int:
        return None if -(1 << 63) <= tree < 1 << 64 else place
    duplicate: str | None = None
    if type(tree) is dict:
        for key, value in tree.items():
            if (duplicate := _beyond(value, f"{place}.{key}" if place else key)) is not None:
                break
    elif type(tree) is list:
        for number, value in enumerate(tree):
            if (duplicate := _beyond(value, f"{place}[{number}]")) is not None:
                break
    return duplicate


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Broken(f"'{key}' appears twice in it")
            seen.add(key)
    return result


def _refuse_constant(text: str) -> Any:
    raise _Broken(f"it holds {text}, which is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Broken(f"the number {text[:40]} in it is too large")
    return value


def _whole(text: str) -> float | int:
    # -0 is no whole number to the reference.
    return -0.0 if text == "-0" else int(text)
