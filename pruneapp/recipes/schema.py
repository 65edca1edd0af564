"""msgspec schema and its JSON Schema.

What a recipe looks like as JSON, and reading it with the place of each mistake.

The JSON schema of recipes, made from the declarations: docs/recipe.schema.json.

Editors that know it complete and check a recipe while it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from pruneapp.errors import JsonError, RecipeError
from pruneapp.json_codec import convert, load
from pruneapp.methods.method import Method
from pruneapp.params import (
    AmountParam,
    ChoiceParam,
    FlagParam,
    FloatParam,
    IntParam,
    NormParam,
    Param,
)
from pruneapp.results.document_rows import Operation, Shape

FORMAT: Literal["pruneapp-recipe"] = "pruneapp-recipe"
VERSION: Literal[2] = 2
Version: TypeAlias = Literal[1, 2]

Names: TypeAlias = tuple[str, ...]
Path: TypeAlias = Literal["linear", "cubic"]
Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a recipe: without keys of other names, and without what is as usual."""


class RowConfiguration(_Part, frozen=True):
    """Which tensors, and the values of the method's parameters.

    Attributes
    ----------
    values
        By the names of the parameters; absent ones take their defaults.
    pattern, kind, names
        Which tensors, said in one of three ways, the first that is there: a glob over whole names,
        a kind of layer, or names. None of them: those that are pruned if nothing is selected.
    """

    values: dict[str, Any] = {}
    pattern: str = ""
    kind: str = ""
    names: Names = ()


class RowEntry(_Part, frozen=True):
    """A method on some tensors; `name` is that of the method."""

    name: str
    configuration: RowConfiguration = RowConfiguration()


class LimitsConfiguration(_Part, frozen=True):
    """What a step may not do; see `pruneapp.methods.limits.Limits`."""

    floor: Share = 0.0
    ceiling: Share = 1.0
    total: Count | Share | None = None
    spare: tuple[Literal["embeddings", "first", "last"], ...] = ()


class StepConfiguration(_Part, frozen=True):
    """Rows, applied as one; of several that name a tensor the last takes precedence.

    Attributes
    ----------
    rows
        At least one.
    scope
        Whether each tensor is cut by itself, or all of them by one threshold.
    limits
        What it may not do.
    companions
        Whether bias and norm go with the channels of dim 0.
    version
        That of the recipe, if nothing is said. By version 1 rows are applied in order, on top of
        each other, and first and last are meant by the order of the file.
    """

    rows: Annotated[tuple[RowEntry, ...], Meta(min_length=1)]
    scope: Literal["local", "global"] = "local"
    limits: LimitsConfiguration = LimitsConfiguration()
    companions: bool = False
    version: Version | UnsetType = UNSET


class StepEntry(_Part, frozen=True, tag_field="name", tag="step"):
    """A step: one or several methods."""

    configuration: StepConfiguration


class ScheduleConfiguration(_Part, frozen=True):
    """A step that is repeated until a share of its tensors is pruned.

    Attributes
    ----------
    step
        What is repeated: one row. Its amount is of no account.
    final
        How much of the step's tensors is pruned at the end, what was pruned before among it: a
        share or a count.
    steps
        How often.
    path
        ``linear``: the same number of weights each time. ``cubic``: many at first and few at the
        end (Zhu and Gupta 2017): ``s_t = s_f + (s_i - s_f) (1 - t / n)^3``.
    """

    step: StepEntry
    final: Count | Share
    steps: Annotated[int, Meta(ge=1, le=1000)]
    path: Path = "cubic"


class ScheduleEntry(_Part, frozen=True, tag_field="name", tag="schedule"):
    """One step, repeated along a path to a final amount."""

    configuration: ScheduleConfiguration


class TargetConfiguration(_Part, frozen=True):
    """Which weights of a tensor an edit means: boxes of indices, or a mask in a side file."""

    name: str
    boxes: tuple[tuple[tuple[int, int], ...], ...] = ()
    shape: Shape = "rectangle"
    dim: int = -1
    mask: str = ""
    size: Count = 0


class EditConfiguration(_Part, frozen=True):
    """One operation by hand on chosen weights."""

    operation: Operation
    targets: Annotated[tuple[TargetConfiguration, ...], Meta(min_length=1)]
    words: str = ""


class EditEntry(_Part, frozen=True, tag_field="name", tag="edit"):
    """What was pruned, restored, protected or released by hand."""

    configuration: EditConfiguration


class ChosenConfiguration(_Part, frozen=True):
    """Which tensors: a pattern, else names, else all that it can be done to."""

    pattern: str = ""
    names: Names = ()


class TreatZerosEntry(_Part, frozen=True, tag_field="name", tag="treat_zeros"):
    """Zeros of the file count as pruned."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class FinalizeEntry(_Part, frozen=True, tag_field="name", tag="finalize"):
    """Pruned weights become ordinary zeros, as torch's ``remove`` makes them."""

    configuration: ChosenConfiguration = ChosenConfiguration()


class FileMasksEntry(_Part, frozen=True, tag_field="name", tag="file_masks"):
    """Masks that torch's pruning left in the file are in force."""

    configuration: ChosenConfiguration = ChosenConfiguration()


Entry: TypeAlias = (
    StepEntry | ScheduleEntry | EditEntry | TreatZerosEntry | FinalizeEntry | FileMasksEntry
)


class RecipeFile(_Part, frozen=True):
    """A recipe as it stands in a file."""

    format: Literal["pruneapp-recipe"]
    version: Version
    entries: tuple[Entry, ...]
    # For editors, which complete what the schema knows.
    schema: str = msgspec.field(name="$schema", default="")


def decode(text: bytes | str, where: str) -> RecipeFile:
    """Read a recipe.

    Parameters
    ----------
    text
        JSON.
    where
        What a message should name: the file.

    Raises
    ------
    RecipeError
        That says what is wrong, where in the file, and what is right there.
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
        found = convert(tree, RecipeFile, where)
    except JsonError as error:
        raise wrong(error) from None
    if found.version == 1 and any(s.version == 2 for s in _steps(found.entries)):
        raise RecipeError(
            f"'{where}' is a recipe of version 1, but one of its steps has version 2.",
            remedy="Set the version of the recipe to 2.",
        )
    return replace(
        found, entries=tuple(_with_version(e, UNSET, found.version) for e in found.entries)
    )


def encode(entries: tuple[Entry, ...]) -> bytes:
    """Return the canonical JSON of a recipe: a step says its version where not all have the same.

    Without a step of version 2 it is one of version 1, which every Pruneapp reads.
    """
    newest: Version = max((_version(step) for step in _steps(entries)), default=1)
    said = tuple(_with_version(_with_version(e, UNSET, 1), newest, UNSET) for e in entries)
    return msgspec.json.encode(RecipeFile(FORMAT, newest, said))


def _steps(entries: Iterable[Entry]) -> Iterator[StepConfiguration]:
    for entry in entries:
        step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
        if isinstance(step, StepEntry):
            yield step.configuration


def _version(step: StepConfiguration) -> Version:
    return 1 if step.version is UNSET else step.version


def _with_version(entry: Entry, old: Version | UnsetType, new: Version | UnsetType) -> Entry:
    """Return an entry whose step has another version, if it has the old one."""
    if isinstance(entry, ScheduleEntry):
        step = _with_version(entry.configuration.step, old, new)
        return replace(entry, configuration=replace(entry.configuration, step=step))
    if not isinstance(entry, StepEntry) or entry.configuration.version != old:
        return entry
    return replace(entry, configuration=replace(entry.configuration, version=new))


def wrong(error: JsonError) -> RecipeError:
    """Return the error of JSON that is no recipe, with its place in the file."""
    return RecipeError(error.sentence, remedy=f"{error.remedy} See docs/recipes.md.".lstrip())


_DEFINITIONS = "$defs"
_ROW = "RowEntry"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(methods: Iterable[Method]) -> str:
    """Return the schema as JSON, with a line at the end.

    Parameters
    ----------
    methods
        Of these a row may have any, with its own values.
    """
    schema = msgspec.json.schema(RecipeFile)
    definitions = schema[_DEFINITIONS]
    row = definitions["RowConfiguration"]
    rows = [_row(method, row) for method in methods if not method.takes_mask]
    definitions[_ROW] = {"title": _ROW, "oneOf": rows}
    del definitions["RowConfiguration"]
    titled = {"$schema": _DIALECT, "title": "A recipe of Pruneapp", **schema}
    return msgspec.json.format(msgspec.json.encode(_said(titled)), indent=2).decode() + "\n"


def _row(method: Method, row: Mapping[str, Any]) -> dict[str, Any]:
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
    said = {"description": f"{param.help} Must be {param.describe()}.", "default": param.default}
    match param:
        case AmountParam():
            kinds = [
                {"type": "integer", "minimum": 0},
                {"type": "number", "minimum": 0, "maximum": 1},
            ]
            return said | {"anyOf": kinds}
        case NormParam():
            return said | {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", *param.words]}]}
        case IntParam() | FloatParam():
            kind = {"type": "integer" if isinstance(param, IntParam) else "number"}
            bounds = {"minimum": param.bounds.low, "maximum": param.bounds.high}
            return said | kind | {k: v for k, v in bounds.items() if v is not None}
        case FlagParam():
            return said | {"type": "boolean"}
        case ChoiceParam():
            return said | {"enum": [choice.value for choice in param.choices]}
    # Of a type of its own, which reads text: 2:4.
    return said | ({"type": "string"} if isinstance(param.default, str) else {})


def _said(schema: Any) -> Any:
    """Return a schema whose descriptions are one paragraph each, without markup of docstrings."""
    if isinstance(schema, list):
        return [_said(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: " ".join(part.partition("\n\n")[0].split())
        if key == "description" and isinstance(part, str)
        else _said(part)
        for key, part in schema.items()
    }
