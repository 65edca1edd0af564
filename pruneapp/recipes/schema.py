"""JSON of recipes, read with the location of mistakes, and its schema docs/recipe.schema.json.

Editors use the schema for completion and validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from pruneapp.document.entries import (
    Entry,
    Part,
    RecoveryEntry,
    RepairEntry,
    ScheduleEntry,
    StepConfiguration,
    StepEntry,
    ValuesConfiguration,
)
from pruneapp.errors import JsonError, RecipeError
from pruneapp.groups.group import MULTIPLES
from pruneapp.json_codec import convert, load
from pruneapp.methods.builtin.units import MULTIPLE, ROUNDED
from pruneapp.methods.method import Method
from pruneapp.params import (
    AT_HAND,
    AmountParam,
    ChoiceParam,
    FileParam,
    FlagParam,
    FloatParam,
    IntParam,
    NormParam,
    Param,
)

FORMAT: Literal["pruneapp-recipe"] = "pruneapp-recipe"
VERSION: Literal[1] = 1


class RecipeFile(Part, frozen=True):
    """The contents of a recipe file."""

    format: Literal["pruneapp-recipe"]
    version: Literal[1]
    entries: tuple[Entry, ...]
    # Traces of the model that steps name, by "sha256:" and the SHA-256 of the text: compressed JSON
    # in base64.
    traces: dict[str, str] = msgspec.field(default_factory=dict)
    # For editors, which use the schema for completion.
    schema: str = msgspec.field(name="$schema", default="")


def decode(text: bytes | str, where: str) -> RecipeFile:
    """Decode a recipe; `where` names its source in error messages.

    Raises `RecipeError` if the text is not a valid recipe; the message has the location and the
    expected value.
    """
    try:
        tree = load(text, where)
        head = tree if type(tree) is dict else {}
        version = head.get("version")
        if head.get("format") != FORMAT:
            raise RecipeError(
                f'\'{where}\' is not a recipe: it lacks "format": "{FORMAT}".',
                remedy="Choose a file that Pruneapp saved as a recipe.",
            )
        if type(version) is int and version > VERSION:
            raise RecipeError(
                f"'{where}' is a recipe of version {version:,}, and this Pruneapp reads up to "
                f"{VERSION}.",
                remedy="Install a newer Pruneapp.",
            )
        recipe = convert(tree, RecipeFile, where)
        return replace(recipe, entries=_with_originals(recipe.entries, where))
    except JsonError as error:
        raise recipe_error(error) from None


def encode(entries: tuple[Entry, ...], traces: Mapping[str, str]) -> bytes:
    """Return the canonical JSON of a recipe, with those of `traces` that its steps name.

    The SHA-256 of a tensor in the file is written once, not with each repair or recovery.
    """
    known: dict[str, str] = {}

    def shorten(tensor: ValuesConfiguration) -> ValuesConfiguration:
        same = known.get(tensor.name) == tensor.original
        known[tensor.name] = tensor.original
        return replace(tensor, original="") if same else tensor

    short = tuple(_with_tensors(entry, shorten) for entry in entries)
    named = dict.fromkeys(step.trace for step in steps_of(entries))
    used = {key: traces[key] for key in named if key in traces}
    return msgspec.json.encode(RecipeFile(FORMAT, VERSION, short, used))


def _with_originals(entries: tuple[Entry, ...], where: str) -> tuple[Entry, ...]:
    """Return entries with what `encode` has left out; raise `JsonError` if it is nowhere."""
    known: dict[str, str] = {}

    def complete(tensor: ValuesConfiguration) -> ValuesConfiguration:
        original = tensor.original or known.get(tensor.name, "")
        if not original:
            raise JsonError(f"the SHA-256 of the original of '{tensor.name}' is missing", where)
        known[tensor.name] = original
        return tensor if tensor.original else replace(tensor, original=original)

    return tuple(_with_tensors(entry, complete) for entry in entries)


def _with_tensors(
    entry: Entry, change: Callable[[ValuesConfiguration], ValuesConfiguration]
) -> Entry:
    if not isinstance(entry, RepairEntry | RecoveryEntry):
        return entry
    tensors = tuple(map(change, entry.configuration.tensors))
    return replace(entry, configuration=replace(entry.configuration, tensors=tensors))


def steps_of(entries: Iterable[Entry]) -> Iterator[StepConfiguration]:
    """Yield the configurations of all steps, including those of schedules."""
    for entry in entries:
        step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
        if isinstance(step, StepEntry):
            yield step.configuration


def chosen_multiple(entries: Iterable[Entry]) -> int | None:
    """Return the multiple that widths are rounded to by the last row that rounds them.

    None if there is no such row, or its value is the default, which the export also uses.
    """
    rows = [row for step in steps_of(entries) for row in step.rows if row.name in ROUNDED]
    value = rows[-1].configuration.values.get(MULTIPLE.name) if rows else None
    return next((n for n in MULTIPLES if str(n) == value), None)


def with_values(entry: Entry, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Entry:
    """Return the entry with the values of each row replaced by the result of `change`.

    The rows of a schedule are those of its step. `change` is called with the values of a row by
    name, which it must not modify. Entries without rows are returned unchanged.
    """
    if isinstance(entry, ScheduleEntry):
        step = with_values(entry.configuration.step, change)
        return replace(entry, configuration=replace(entry.configuration, step=step))
    if not isinstance(entry, StepEntry):
        return entry
    rows = []
    for row in entry.configuration.rows:
        values = change(row.configuration.values)
        rows.append(replace(row, configuration=replace(row.configuration, values=values)))
    return replace(entry, configuration=replace(entry.configuration, rows=tuple(rows)))


def recipe_error(error: JsonError) -> RecipeError:
    """Return the error for JSON that is no recipe, with the location in the file."""
    return RecipeError(error.sentence, remedy=f"{error.remedy} See docs/recipes.md.".lstrip())


_DEFINITIONS = "$defs"
_ROW = "RowEntry"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(methods: Iterable[Method]) -> str:
    """Return the JSON schema with a final newline; rows can have any of `methods`.

    Methods that need a mask are omitted, as recipes do not allow them.
    """
    schema = msgspec.json.schema(RecipeFile)
    definitions = schema[_DEFINITIONS]
    row = definitions["RowConfiguration"]
    rows = [_row(method, row) for method in methods if not method.takes_mask]
    definitions[_ROW] = {"title": _ROW, "oneOf": rows}
    del definitions["RowConfiguration"]
    titled = {"$schema": _DIALECT, "title": "A recipe of Pruneapp", **schema}
    return (
        msgspec.json.format(
            msgspec.json.encode(_with_plain_descriptions(titled)), indent=2
        ).decode()
        + "\n"
    )


def _row(method: Method, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a row with a method, from `row`, the schema of any row configuration."""
    values = {
        "type": "object",
        "properties": {param.name: _value(param) for param in method.params},
        "additionalProperties": False,
    }
    configuration = {**row, "properties": {**row["properties"], "values": values}}
    return {
        "title": method.label,
        "description": method.help,
        "type": "object",
        "properties": {
            "name": {"const": method.name},
            "configuration": {k: v for k, v in configuration.items() if k != "description"},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def _value(param: Param) -> dict[str, Any]:
    """Return the schema of a parameter value, without a type for other kinds of parameters."""
    schema = {"description": f"{param.help} Must be {param.describe()}.", "default": param.default}
    match param:
        case AmountParam():
            kinds = [
                {"type": "integer", "minimum": 0},
                {"type": "number", "minimum": 0, "maximum": 1},
            ]
            return schema | {"anyOf": kinds}
        case NormParam():
            return schema | {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", *param.words]}]}
        case IntParam() | FloatParam():
            kind = {"type": "integer" if isinstance(param, IntParam) else "number"}
            bounds = {"minimum": param.bounds.low, "maximum": param.bounds.high}
            return schema | kind | {k: v for k, v in bounds.items() if v is not None}
        case FlagParam():
            return schema | {"type": "boolean"}
        case ChoiceParam():
            return schema | {"enum": [choice.value for choice in param.choices]}
        case FileParam():
            either = (
                f"'{AT_HAND}' for the file that belongs to the checkpoint, or {param.describe()}"
            )
            return schema | {"description": f"{param.help} Must be {either}.", "type": "string"}
    # A parameter type that parses text, such as 2:4.
    return schema | ({"type": "string"} if isinstance(param.default, str) else {})


def _with_plain_descriptions(schema: Any) -> Any:
    """Return a schema with descriptions reduced to their first paragraphs, on one line.

    Recursive; the argument is not modified.
    """
    if isinstance(schema, list):
        return [_with_plain_descriptions(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: " ".join(part.partition("\n\n")[0].split())
        if key == "description" and isinstance(part, str)
        else _with_plain_descriptions(part)
        for key, part in schema.items()
    }
