"""``pruneapp methods`` and ``pruneapp plugins``: list methods and installed plugins."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import Any

from pruneapp.cli.options import option_of, param_help
from pruneapp.cli.terminal import print_json
from pruneapp.methods.method import Method
from pruneapp.methods.registry import METHODS
from pruneapp.params import FileParam, Param, needed_with
from pruneapp.progress import CancelToken


def methods(options: argparse.Namespace, _token: CancelToken) -> int:
    """Print all methods with their parameters."""
    if options.json:
        print_json([_as_json(method) for method in METHODS.values()])
        return 0
    for method in METHODS.values():
        scopes = " or ".join(method.scopes)
        sys.stdout.write(f"{method.name}: {method.label} ({scopes})\n")
        sys.stdout.write(
            textwrap.fill(method.help, 96, initial_indent="    ", subsequent_indent="    ") + "\n"
        )
        sys.stdout.write(f"    Score: {method.formula}\n")
        for param in method.params:
            sys.stdout.write(
                f"    {option_of(param.name)}  {param_help(param).removesuffix('.')}; "
                f"{_default(param, method)}.\n"
            )
        sys.stdout.write("\n")
    return 0


def plugins(options: argparse.Namespace, _token: CancelToken) -> int:
    """Print installed plugins and what they add."""
    # Imported here because listing methods does not need it.
    from pruneapp.plugins import GROUPS, installed

    found = installed()
    if options.json:
        rows = [
            {
                "package": plugin.name,
                "version": plugin.version,
                "adds": [
                    {"kind": GROUPS[p.group], "name": p.name, "from": p.value}
                    for p in plugin.points
                ],
            }
            for plugin in found
        ]
        print_json(rows)
        return 0
    for plugin in found:
        sys.stdout.write(f"{plugin.name} {plugin.version}\n")
        for point in plugin.points:
            sys.stdout.write(f"    {GROUPS[point.group]} {point.name}, from {point.value}\n")
    if not found:
        sys.stdout.write("No installed package adds anything.\n")
    return 0


def _default(param: Param, method: Method) -> str:
    if param.name == "amount":  # a default amount would prune weights without request
        return f"required, unless {option_of('total')} is given"
    if isinstance(param, FileParam):
        words = needed_with(param.name, method.params)
        return f"required with {words}" if words else "required"
    return f"default {param.format(param.default)}"


def _as_json(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "label": method.label,
        "help": method.help,
        "formula": method.formula,
        "granularity": method.granularity,
        "scopes": list(method.scopes),
        "takes_mask": method.takes_mask,
        "takes_scale": method.takes_scale,
        "takes_scores": method.takes_scores,
        "takes_statistics": method.takes_statistics,
        "takes_grams": method.takes_grams,
        "params": [
            {
                "name": p.name,
                "label": p.label,
                "help": p.help,
                "default": p.default,
                "must_be": p.describe(),
            }
            for p in method.params
        ],
    }
