"""The table of options, and the parsers made from it."""

from __future__ import annotations

import inspect

from pruneapp.cli.options import GENERATED, OPTIONS, options_of
from pruneapp.cli.parser import COMMANDS, WINDOW
from pruneapp.evaluation.recovery import DEFAULT_STEPS
from pruneapp.prune.recovery import recover


def test_every_declared_option_belongs_to_a_command():
    used = set()
    for command, declared in ({"pruneapp": WINDOW} | COMMANDS).items():
        names = declared.options.split()
        assert {name for name, _ in options_of(command, names)} == set(names)
        keys = {f"{command}.{name}" for name in names} & {*OPTIONS, *GENERATED}
        used |= keys | {name for name in names if f"{command}.{name}" not in keys}
        assert {name for group in declared.exclusive for name in group.split()} <= set(names)
    assert used == {*OPTIONS, *GENERATED}


def test_the_default_number_of_steps_is_the_same_everywhere():
    """The command line does not import the modules that declare it, because that takes a second."""
    given = [OPTIONS[name].default for name in ("steps", "frontier.steps")]
    given.append(inspect.signature(recover).parameters["steps"].default)
    assert given == [DEFAULT_STEPS] * 3
