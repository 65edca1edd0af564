"""The JSON schema of recipes, made from the declarations: docs/recipe.schema.json.

Editors that know it complete and check a recipe while it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from pruneapp.methods.method import Method
from pruneapp.params import FloatParam, IntParam, NormParam
from pruneapp.params_amounts import AmountParam
from pruneapp.params_declared import Param
from pruneapp.params_words import ChoiceParam, FlagParam
from pruneapp.recipes.schema import RecipeFile

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
