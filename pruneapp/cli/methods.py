"""``pruneapp methods`` and ``pruneapp plugins``: list methods and installed plugins."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from pruneapp.cli.options import option_of, param_help
from pruneapp.cli.terminal import Output, attributes
from pruneapp.methods.method import Method
from pruneapp.methods.registry import METHODS
from pruneapp.params import FileParam, Param, needed_with
from pruneapp.progress import Job


def methods(_options: argparse.Namespace, _job: Job, _stack: ExitStack) -> Output:
    """Return all methods with their parameters."""
    return Output(_lines(), lambda: list(map(_data, METHODS.values())))


def _lines() -> Iterator[str]:
    """Yield the lines of all methods with their parameters, in the order of the registry."""
    for method in METHODS.values():
        yield f"{method.name}: {method.label} ({' or '.join(method.scopes)})"
        yield from textwrap.wrap(method.help, 96, initial_indent="    ", subsequent_indent="    ")
        yield f"    Score: {method.formula}"
        for param in method.params:
            text = param_help(param).removesuffix(".")
            yield f"    {option_of(param.name)}  {text}; {_default(param, method)}."
        yield ""


def plugins(_options: argparse.Namespace, _job: Job, _stack: ExitStack) -> Output:
    """Return installed plugins and what they add; runs none of their code."""
    # Imported here because listing methods does not need it.
    from pruneapp.plugins import GROUPS, list_plugins

    found = list_plugins()
    lines = []
    for plugin in found:
        lines.append(f"{plugin.name} {plugin.version}")
        lines += [f"    {GROUPS[p.group]} {p.name}, from {p.value}" for p in plugin.points]
    rows = [
        {
            "package": plugin.name,
            "version": plugin.version,
            "adds": [
                {"kind": GROUPS[p.group], "name": p.name, "from": p.value} for p in plugin.points
            ],
        }
        for plugin in found
    ]
    return Output(lines or ["No installed package adds anything."], lambda: rows)


def _default(param: Param, method: Method) -> str:
    """Return the words about the default of a parameter, or about when it is required."""
    if param.name == "amount":  # a default amount would prune weights without request
        return f"required, unless {option_of('target_sparsity')} is given"
    if isinstance(param, FileParam):
        words = needed_with(param.name, method.params)
        return f"required with {words}" if words else "required"
    return f"default {param.format(param.default)}"


def _data(method: Method) -> dict[str, Any]:
    """Return a method and its parameters as JSON data."""
    return {
        **attributes(
            method,
            "name label help formula granularity scopes takes_mask takes_scale takes_scores "
            "takes_statistics takes_grams",
        ),
        "params": [
            attributes(param, "name label help default") | {"must_be": param.describe()}
            for param in method.params
        ],
    }
