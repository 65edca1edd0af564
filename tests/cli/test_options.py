"""The table of options, and the parsers made from it."""

from __future__ import annotations

import re

import pytest

from pruneapp.cli.options import GENERATED, OPTIONS, SPELLINGS, options_of
from pruneapp.cli.parser import COMMANDS, WINDOW, parse


def test_every_declared_option_belongs_to_a_command():
    used = set()
    for command, declared in ({"pruneapp": WINDOW} | COMMANDS).items():
        names = declared.options.split()
        assert {name for name, _ in options_of(command, names)} == set(names)
        keys = {f"{command}.{name}" for name in names} & {*OPTIONS, *GENERATED}
        used |= keys | {name for name in names if f"{command}.{name}" not in keys}
        assert {name for group in declared.exclusive for name in group.split()} <= set(names)
    assert used == {*OPTIONS, *GENERATED}


@pytest.mark.parametrize(("name", "spelling"), SPELLINGS.items())
def test_parameter_names_are_accepted_but_only_spellings_are_shown(name, spelling, capsys):
    base = ["prune", "in.safetensors", "-o", "out", "--method", "l1_unstructured"]
    flag = name == "companions"
    (new,), (old,) = (
        [vars(parse([*base, f"--{word}", *(() if flag else ("5",))]))]
        for word in (spelling, name.replace("_", "-"))
    )
    assert new == old
    assert new != vars(parse(base))
    with pytest.raises(SystemExit):
        parse(["prune", "--help"])
    shown = capsys.readouterr().out
    assert f"--{spelling} " in shown or f"--{spelling}\n" in shown
    assert not re.search(rf"--{name.replace('_', '-')}\b(?!-)", shown)
