"""The table of options, and the parsers made from it."""

from __future__ import annotations

from pruneapp.cli.options import GENERATED, OPTIONS, options_of
from pruneapp.cli.parser import COMMANDS, WINDOW


def test_every_declared_option_belongs_to_a_command():
    used = set()
    for command, declared in ({"pruneapp": WINDOW} | COMMANDS).items():
        names = declared.options.split()
        assert {name for name, _ in options_of(command, names)} == set(names)
        keys = {f"{command}.{name}" for name in names} & {*OPTIONS, *GENERATED}
        used |= keys | {name for name in names if f"{command}.{name}" not in keys}
        assert {name for group in declared.exclusive for name in group.split()} <= set(names)
    assert used == {*OPTIONS, *GENERATED}
