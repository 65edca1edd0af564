"""The bootstrap reports missing packages, installs once, and fails if a step fails."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


class Commands:
    """A stub of subprocess.run: records commands, and fails the selected ones."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []
        self.environments: dict[str, dict[str, str] | None] = {}
        self.failing: set[str] = set()

    def __call__(self, command, env=None, **_):
        self.seen.append([str(part) for part in command])
        self.environments[Path(command[0]).name] = env
        words = {Path(word).name for word in self.seen[-1]}
        return SimpleNamespace(returncode=1 if words & self.failing else 0)

    def with_word(self, word):
        return [command for command in self.seen if word in command]


@pytest.fixture
def commands() -> Commands:
    return Commands()


@pytest.fixture
def bootstrap():
    """Provide the module packaging/dev.py."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "packaging" / "dev.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def dev(bootstrap, tmp_path, monkeypatch, commands):
    """Provide packaging/dev.py for an empty checkout; nothing is really run or installed."""
    dev = bootstrap
    (tmp_path / "packaging").mkdir()
    for name in ("pyproject.toml", "packaging/constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    venv = tmp_path / ".venv"
    for name, value in {
        "ROOT": tmp_path,
        "VENV": venv,
        "BIN": venv / "bin",
        "STAMP": venv / "pruneapp-installed",
    }.items():
        monkeypatch.setattr(dev, name, value)
    monkeypatch.setattr(dev.subprocess, "run", commands)
    monkeypatch.setattr(dev, "run_with_progress", lambda command: commands(command).returncode)
    monkeypatch.setattr(dev.sys, "platform", "linux")
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda _: SimpleNamespace())
    monkeypatch.setattr(dev.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(dev, "can_load", lambda _: True)
    monkeypatch.setattr(dev, "TEST_FILES", {})
    return dev


def make_venv(dev):
    """Create the files of `python -m venv`."""
    dev.BIN.mkdir(parents=True, exist_ok=True)
    (dev.BIN / "python").touch()
    (dev.BIN / "pip3.11").touch()


def lack(dev, monkeypatch, *libraries):
    monkeypatch.setattr(dev, "can_load", lambda library: library not in libraries)


def as_user(dev, monkeypatch, number):
    monkeypatch.setattr(dev.os, "geteuid", lambda: number)


# -- libraries of the system -------------------------------------------------------------------


def test_a_user_gets_one_line_to_run(dev, monkeypatch, commands, capsys):
    lack(dev, monkeypatch, "libEGL.so.1", "libxcb-cursor.so.0")
    as_user(dev, monkeypatch, 1000)
    assert not dev.install_system_packages(for_tests=False)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    assert said[1].strip() == (
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends "
        "libegl1 libxcb-cursor0"
    )
    assert commands.seen == []


def test_root_gets_the_packages_installed(dev, monkeypatch, commands):
    lack(dev, monkeypatch, "libEGL.so.1")
    as_user(dev, monkeypatch, 0)
    assert dev.install_system_packages(for_tests=False)
    assert [command[:2] for command in commands.seen] == [
        ["apt-get", "update"],
        ["apt-get", "install"],
    ]
    assert "libegl1" in commands.seen[1]


def test_failing_apt_is_said(dev, monkeypatch, commands, capsys):
    lack(dev, monkeypatch, "libEGL.so.1")
    as_user(dev, monkeypatch, 0)
    commands.failing = {"update"}
    assert not dev.install_system_packages(for_tests=False)
    assert "apt-get update" in capsys.readouterr().out
    assert len(commands.seen) == 1


def test_other_distributions_are_told_the_names(dev, monkeypatch, capsys):
    lack(dev, monkeypatch, "libGL.so.1")
    monkeypatch.setattr(dev.shutil, "which", lambda _: None)
    assert not dev.install_system_packages(for_tests=False)
    assert "libgl1" in capsys.readouterr().out


def test_a_screen_is_needed_for_tests_alone(dev, monkeypatch, capsys):
    as_user(dev, monkeypatch, 1000)
    present = {"apt-get"}
    monkeypatch.setattr(
        dev.shutil, "which", lambda program: program if program in present else None
    )
    assert dev.install_system_packages(for_tests=False)
    assert not dev.install_system_packages(for_tests=True)
    assert "xvfb xdotool dbus-daemon" in capsys.readouterr().out


def test_what_a_screen_reader_needs_is_installed_for_tests_on_debian(dev, monkeypatch, capsys):
    as_user(dev, monkeypatch, 1000)
    monkeypatch.setattr(dev, "TEST_FILES", {"/nowhere/launcher": "at-spi2-core"})
    assert dev.install_system_packages(for_tests=False)
    assert not dev.install_system_packages(for_tests=True)
    assert "at-spi2-core" in capsys.readouterr().out
    monkeypatch.setattr(dev.shutil, "which", lambda program: program != "apt-get")
    assert dev.install_system_packages(for_tests=True)


def test_python3_venv_is_asked_for_only_where_it_is_needed(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda _: None)
    as_user(dev, monkeypatch, 1000)
    assert not dev.install_system_packages(for_tests=False)
    assert "python3-venv" in capsys.readouterr().out
    make_venv(dev)
    assert dev.install_system_packages(for_tests=False)


def test_half_an_environment_counts_as_none(dev, monkeypatch, commands):
    """Debian's Python leaves a .venv without pip if python3-venv is missing."""
    dev.BIN.mkdir(parents=True)
    (dev.BIN / "python").touch()
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda _: None)
    as_user(dev, monkeypatch, 1000)
    assert not dev.install_system_packages(for_tests=False)
    assert dev.install(for_tests=True)
    assert commands.with_word("venv")


# -- installing --------------------------------------------------------------------------------


def test_the_second_time_nothing_is_installed(dev, commands):
    make_venv(dev)
    assert dev.install(for_tests=True)
    assert len(commands.with_word("pip")) == 1
    commands.seen.clear()
    assert dev.install(for_tests=True)
    assert commands.seen == []


@pytest.mark.parametrize("name", ["pyproject.toml", "packaging/constraints.txt"])
def test_what_is_asked_for_is_installed_again_when_it_changes(dev, commands, name):
    make_venv(dev)
    assert dev.install(for_tests=True)
    commands.seen.clear()
    with (dev.ROOT / name).open("a") as file:
        file.write("# changed\n")
    assert dev.install(for_tests=True)
    assert len(commands.with_word("pip")) == 1
    assert not commands.with_word("venv")


def test_the_environment_of_a_moved_checkout_is_made_anew(dev, monkeypatch, commands, tmp_path):
    make_venv(dev)
    assert dev.install(for_tests=True)
    commands.seen.clear()
    monkeypatch.setattr(dev, "fingerprints", lambda: ("another folder", dev.STAMP.read_text()))
    assert dev.install(for_tests=True)
    assert commands.with_word("--clear")


def test_the_environment_of_another_checkout_is_left_alone(
    dev, monkeypatch, commands, tmp_path, capsys
):
    """Following the link would empty the other environment."""
    make_venv(dev)
    assert dev.install(for_tests=True)
    commands.seen.clear()
    dev.VENV.rename(tmp_path / "theirs")
    dev.VENV.symlink_to(tmp_path / "theirs")
    monkeypatch.setattr(dev, "fingerprints", lambda: ("another folder", dev.STAMP.read_text()))
    assert not dev.install(for_tests=True)
    assert not commands.seen
    assert "Remove the link" in capsys.readouterr().out


def test_what_a_user_prepared_is_kept(dev, commands):
    """The README recommends installing torch's CPU build into .venv first."""
    make_venv(dev)
    assert dev.install(for_tests=True)
    assert not commands.with_word("venv")
    assert not commands.with_word("--clear")


def test_a_failed_installation_is_tried_again(dev, commands, capsys):
    make_venv(dev)
    commands.failing = {"pip"}
    assert not dev.install(for_tests=True)
    assert "installation failed" in capsys.readouterr().out
    commands.failing = set()
    commands.seen.clear()
    assert dev.install(for_tests=True)
    assert len(commands.with_word("pip")) == 1


@pytest.mark.parametrize(("command", "tools"), [("run", False), ("test", True), ("bench", True)])
def test_only_the_other_commands_install_the_development_tools(
    dev, monkeypatch, commands, command, tools
):
    make_venv(dev)
    monkeypatch.setattr(dev.sys, "argv", ["dev.py", command])
    monkeypatch.setitem(dev.COMMANDS, command, lambda _: 0)
    assert dev.main() == 0
    (pip,) = commands.with_word("pip")
    assert pip[-1] == (f"{dev.ROOT}[dev]" if tools else str(dev.ROOT))


def test_the_site_of_the_documentation_is_built_in_an_environment_of_its_own(
    dev, monkeypatch, commands
):
    monkeypatch.setattr(dev.sys, "argv", ["dev.py", "docs"])
    assert dev.main() == 0
    create, pip, build = commands.seen
    assert create[-1] == str(dev.ROOT / "build" / "docs")
    assert pip[-1] == dev.SITE_BUILDER
    assert build == [str(dev.ROOT / "build" / "docs" / "bin" / "zensical"), "build", "--strict"]


def test_tools_that_were_installed_stay_installed(dev, commands):
    make_venv(dev)
    assert dev.install(for_tests=True)
    assert dev.install(for_tests=False)
    with (dev.ROOT / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    assert dev.install(for_tests=False)
    assert [pip[-1] for pip in commands.with_word("pip")] == [f"{dev.ROOT}[dev]"] * 2


def test_an_environment_for_running_gets_the_tools_when_tests_are_run(dev, commands):
    make_venv(dev)
    assert dev.install(for_tests=False)
    assert dev.install(for_tests=True)
    assert [pip[-1] for pip in commands.with_word("pip")] == [str(dev.ROOT), f"{dev.ROOT}[dev]"]


PIP = """
print("Collecting torch==2.13.0")
print("  Downloading small-1.0.whl (4.9 MB)")
print("  Downloading torch-2.13.0.whl (189.1 MB)", flush=True)
print("Installing collected packages: torch")
raise SystemExit({status})
"""


@pytest.mark.parametrize("on_terminal", [False, True])
def test_an_installation_shows_its_progress(bootstrap, monkeypatch, capsys, on_terminal):
    monkeypatch.setattr(bootstrap.sys.stdout, "isatty", lambda: on_terminal, raising=False)
    assert bootstrap.run_with_progress([sys.executable, "-c", PIP.format(status=0)]) == 0
    shown = capsys.readouterr().out
    assert "Downloading torch-2.13.0.whl (189.1 MB)" in shown
    assert ("small-1.0" in shown) == on_terminal  # small downloads get no line
    assert ("\r" in shown) == on_terminal
    assert "installed in" in shown


def test_a_failed_installation_shows_the_output_of_pip(bootstrap, capsys):
    assert bootstrap.run_with_progress([sys.executable, "-c", PIP.format(status=3)]) == 3
    assert "Collecting torch==2.13.0\n" in capsys.readouterr().out


# -- the commands ------------------------------------------------------------------------------


def test_without_a_display_the_main_job_is_performed(dev, monkeypatch, commands, capsys):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert dev.run(["model.pt"]) == 0
    assert "no display" in capsys.readouterr().out
    (command,) = commands.seen
    assert Path(command[-2]).name == "first_run.py"
    assert command[-1] == "model.pt"


def test_with_a_display_the_window_opens_with_the_file(dev, monkeypatch, commands):
    monkeypatch.setenv("DISPLAY", ":1")
    assert dev.run(["model.pt"]) == 0
    (command,) = commands.seen
    assert command[-3:] == ["-m", "pruneapp", "model.pt"]


def test_every_step_of_the_tests_is_run_and_those_that_fail_are_named(dev, commands, capsys):
    commands.failing = {"mypy", "lint-imports"}
    assert dev.test([]) == 1
    programs = [Path(command[0]).name for command in commands.seen]
    # concurrently with the first steps
    assert "--collect-only" in commands.seen[programs.index("pytest")]
    programs.remove("pytest")
    assert programs == ["ruff", "ruff", "mypy", "lint-imports", "python", "pytest"]
    failed = capsys.readouterr().out.split("Failed:")[1].split()
    assert failed == ["mypy", "lint-imports"]


def test_coverage_is_measured_on_request_and_printed(dev, monkeypatch, commands):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert dev.test(["--coverage", "tests/masks"]) == 0
    assert [command[1:] for command in commands.seen] == [
        ["erase"],
        ["run", "-m", "pytest", "tests/masks"],
        ["combine", "--quiet"],
        ["report"],
    ]
    # Otherwise each process compiles all tests.
    assert "PYTHONDONTWRITEBYTECODE" not in commands.environments["coverage"]


def test_arguments_of_test_go_to_pytest_alone(dev, commands):
    assert dev.test(["tests/masks", "-x"]) == 0
    (command,) = commands.seen
    assert Path(command[0]).name == "pytest"
    assert command[1:] == ["tests/masks", "-x"]


def test_nothing_is_started_when_the_installation_failed(dev, monkeypatch, commands):
    make_venv(dev)
    commands.failing = {"pip"}
    monkeypatch.setattr(dev.sys, "argv", ["dev.py", "test"])
    assert dev.main() == 1
    assert not commands.with_word(str(dev.BIN / "pytest"))


def test_an_old_python_is_told_so(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev.sys, "argv", ["dev.py", "run"])
    monkeypatch.setattr(dev.sys, "version_info", (3, 10))
    assert dev.main() == 1
    assert "Python 3.11 or newer" in capsys.readouterr().out


def test_the_bootstrap_imports_the_standard_library_alone():
    """With -S -I neither site-packages nor the checkout can be imported."""
    command = [sys.executable, "-S", "-I", str(ROOT / "packaging" / "dev.py"), "--help"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
    )
    assert done.returncode == 0, done.stderr
    assert "run [FILE]" in done.stdout


@pytest.mark.parametrize(
    ("flag", "options"),
    [
        ("--slow", ["-m", "slow or not slow"]),
        ("--thorough", ["-m", "slow or not slow", "--hypothesis-profile=thorough"]),
    ],
)
def test_slow_tests_run_on_request(dev, commands, flag, options):
    assert dev.test([flag, "tests/masks"]) == 0
    assert commands.seen[-1][1:] == [*options, "tests/masks"]
    dev.test([flag])
    assert [command[-len(options) :] for command in commands.with_word("-n")][-1] == options
