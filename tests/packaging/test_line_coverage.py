"""Lines and branches are counted in every process, however it ends, and reported."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parent.parent.parent / "packaging"

MODULE = '''"""A docstring."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from nowhere import Nothing

def sign(x):
    """A docstring."""
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0

def first(xs, wanted):
    for x in xs:
        if x == wanted:
            break
    else:
        return None
    while True:
        return x

def word(x):
    match x:
        case 1:
            return "one"
        case str():
            return x

def careful(work):
    try:
        with open(work) as file:
            return file.read()
    except OSError:
        return ""
    finally:
        work = None

class Kind(str): ...
'''  # fmt: skip


@pytest.fixture
def coverage(tmp_path, monkeypatch):
    """Provide packaging/line_coverage.py for a checkout with one module, `pruneapp.module`."""
    spec = importlib.util.spec_from_file_location("line_coverage", PACKAGING / "line_coverage.py")
    coverage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(coverage)
    package = tmp_path / "pruneapp"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "module.py").write_text(MODULE)
    monkeypatch.setattr(coverage, "ROOT", tmp_path)
    monkeypatch.setattr(coverage, "FOLDER", tmp_path / "build" / "coverage")
    return coverage


def run(coverage, code):
    """Run code in a process started like those of the tests."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGING / "probes"),
        "PRUNEAPP_COVERAGE": str(coverage.FOLDER),
    }
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", f"from pruneapp.module import *; {code}"],
        cwd=coverage.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def missed(coverage, capsys):
    """Return the lines that no process ran, and those of conditions with a branch not taken."""
    coverage.figures(modules=True, missed=True)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "never" in line]
    never_run, _, untaken = line.partition("|")
    return [[int(n) for n in part.partition(":")[2].split()] for part in (never_run, untaken)]


def test_what_ran_is_told_by_line_and_way_on(coverage, capsys):
    coverage.prepare()
    done = run(coverage, "print(sign(1), first([1, 2], 2), word(1), careful('/'))")
    assert not done.stderr
    assert done.stdout.split() == ["1", "2", "one"]
    # The first `if` and the `elif`, the end of the loop, `case str()` and no matching case.
    assert missed(coverage, capsys) == [[11, 12, 13, 20, 29, 34], [9, 11, 11, 16, 25, 25]]


def test_what_several_processes_ran_is_told_together_however_they_end(coverage, capsys):
    coverage.prepare()
    assert not run(coverage, "sign(-1)").returncode
    assert run(coverage, "import os; word('two'); os._exit(3)").returncode == 3
    forked = "import os; os.fork() or os._exit(not first([1], 2) is None); os.wait()"
    assert not run(coverage, forked).returncode
    killed = run(coverage, "import os, signal; word(2); os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.returncode == -9
    coverage.figures(modules=False, missed=False)
    assert capsys.readouterr().out == "coverage: lines 56.0 %, branches 63.6 %\n"


def test_a_new_run_forgets_the_one_before(coverage, capsys):
    coverage.prepare()
    run(coverage, "sign(1)")
    coverage.prepare()
    coverage.figures(modules=False, missed=False)
    assert capsys.readouterr().out == "coverage: lines 0.0 %, branches 0.0 %\n"


def test_code_with_probes_keeps_its_lines_and_docstrings(coverage):
    coverage.prepare()
    done = run(coverage, "print(sign.__doc__, careful.__code__.co_firstlineno); sign('a')")
    assert done.stdout == "A docstring. 31\n"
    assert 'module.py", line 9, in sign' in done.stderr


def test_where_nothing_can_be_noted_the_code_runs_as_it_is(coverage):
    assert run(coverage, "print(sign(1), '__seen__' in globals())").stdout == "1 False\n"
    coverage.prepare()
    (coverage.FOLDER / "pruneapp.module.code").unlink()
    assert run(coverage, "print(sign(1), sign.__code__.co_consts)").stdout.startswith("1 ")


def test_another_file_of_the_same_name_is_left_alone(coverage, tmp_path):
    """The wheel test installs the package again, which must not be measured."""
    coverage.prepare()
    other = tmp_path / "other" / "pruneapp"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "module.py").write_text("print('another')")
    coverage.ROOT = other.parent
    assert run(coverage, "").stdout == "another\n"
