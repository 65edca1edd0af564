"""The one bootstrap: set up what is needed, then run, test, measure or tour the application.

    python3 packaging/dev.py run [FILE]    open the window (or tour it, where there is no display)
    python3 packaging/dev.py test [...]    format, lint, types, layers, structure, all tests,
                                           and what share of lines and branches these run
    python3 packaging/dev.py bench [...]   speed and memory, side by side with torch; takes half an
                                           hour; "bench big" alone: 12 GB, needs 25 GB of disk
                                           "bench quality", "bench quality-llama", "bench
                                           quality-scan", "bench quality-units": what
                                           repairs, allocations and scores of units are worth,
                                           minutes
    python3 packaging/dev.py sizes FILE    sizes and times of every format of the export
    python3 packaging/dev.py faults [...]  exports with faults in every call, or killed
    python3 packaging/dev.py monkey [...]  random clicks, keys, text and files in the window:
                                           --minutes N [--seed S] [--seeds N] [--model FILE]...
    python3 packaging/dev.py tour [DIR]    drive the real window through the main job, off screen
    python3 packaging/dev.py bundle [...]  folders and archives that need no Python, small and full,
                                           in dist/: --flavour small|full, --check [--write]

Standard library only: it is the first thing that runs on a bare machine. The second time it
starts at once: a stamp in the virtual environment remembers what was installed.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
# Two lines: which interpreter and checkout it was made for, and what was installed into it.
STAMP = VENV / "pruneapp-installed"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
# What measures which lines the tests run, and the folder whose code their processes begin with.
COVERAGE = ROOT / "packaging" / "line_coverage.py"
PROBES = ROOT / "packaging" / "probes"

# The libraries that Qt's wheel expects from the system, and Debian's packages that hold them.
QT_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
# Programs that only the tests need: a screen in memory, and hands and a bus for it.
TEST_PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool", "dbus-run-session": "dbus-daemon"}
# What Debian has without a program: what screen readers are told by, and how a test listens to it.
# Other systems keep these elsewhere; there the test that needs them says so.
TEST_FILES = {
    "/usr/libexec/at-spi-bus-launcher": "at-spi2-core",
    "/usr/lib/python3/dist-packages/gi": "python3-gi",
}


def main() -> int:
    """Do what the first argument says."""
    parser = argparse.ArgumentParser(
        prog="packaging/dev.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=list(COMMANDS))
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs before anything checked the version
        print(f"Pruneapp needs Python 3.11 or newer (this is {sys.version.split()[0]}).")
        return 1
    if options.command == "bundle":  # has environments of its own
        return bundle(options.arguments)
    if not (see_to_system_packages(for_tests=options.command == "test") and install()):
        return 1
    return COMMANDS[options.command](options.arguments)


# -- setting up ------------------------------------------------------------------------------


def see_to_system_packages(*, for_tests: bool) -> bool:
    """Install the system's packages that are missing, or print the line that installs them."""
    if not sys.platform.startswith("linux"):
        return True
    missing = [package for library, package in QT_LIBRARIES.items() if not loads(library)]
    if for_tests:
        missing += [pkg for program, pkg in TEST_PROGRAMS.items() if not shutil.which(program)]
        if shutil.which("apt-get"):
            missing += [package for file, package in TEST_FILES.items() if not Path(file).exists()]
    if not is_whole() and importlib.util.find_spec("ensurepip") is None:
        missing.append("python3-venv")
    if not missing:
        return True
    install_line = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if shutil.which("apt-get") is None:
        print("Please install what corresponds to these packages of Debian:", *missing)
        return False
    if os.geteuid() != 0:
        print("Some packages of the system are missing. Please run this line, then try again:")
        print("  sudo apt-get update && sudo " + " ".join(install_line))
        return False
    print("Installing packages of the system:", *missing, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], [*install_line, "-qq"]):
        # What goes well is of no interest; what goes wrong is written to standard error.
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            print(f"'{' '.join(command)}' failed; see above.")
            return False
    return True


def loads(library: str) -> bool:
    """Whether the dynamic linker finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install() -> bool:
    """Make the virtual environment and install the application into it, once."""
    made_for, content = fingerprints()
    stamp = STAMP.read_text().splitlines() if STAMP.exists() else []
    if stamp == [made_for, content] and is_whole():
        return True
    # Scripts name the folder and the interpreter that they were made for, so a checkout that was
    # moved needs a new environment. One without a stamp is the person's own: torch may lie in it.
    moved = bool(stamp) and stamp[0] != made_for
    if moved and VENV.is_symlink():
        print(".venv is a link to the environment of another checkout, which stays as it is.")
        print("Remove the link, and this checkout gets an environment of its own.")
        return False
    if moved or not is_whole():
        print("Making the virtual environment .venv", flush=True)
        make = [sys.executable, "-m", "venv", *(["--clear"] if moved else []), str(VENV)]
        if subprocess.run(make, check=False).returncode:
            print("The virtual environment could not be made; see above.")
            return False
    print("Installing Pruneapp and what it needs; the first time takes a few minutes", flush=True)
    pip = [str(BIN / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    if not sys.stdout.isatty():
        pip.append("--quiet")  # on a terminal, someone may be waiting for gigabytes of CUDA
    constraints = ["-c", str(ROOT / "packaging" / "constraints.txt")]
    if subprocess.run([*pip, *constraints, "-e", f"{ROOT}[dev]"], check=False).returncode:
        print("The installation failed; see above. Nothing of the system was changed.")
        return False
    STAMP.write_text(f"{made_for}\n{content}\n")
    return True


def is_whole() -> bool:
    """Whether .venv has an interpreter and pip; without python3-venv Debian leaves half of it."""
    return (BIN / "python").exists() and any(BIN.glob("pip*"))


def fingerprints() -> tuple[str, str]:
    """Return what the environment is made for, and what is to be installed into it."""
    made_for = f"{sys.version_info.major}.{sys.version_info.minor} {sys.base_prefix} {ROOT}"
    content = hashlib.sha256()
    for name in ("pyproject.toml", "packaging/constraints.txt"):
        content.update((ROOT / name).read_bytes())
    return made_for, content.hexdigest()


# -- the commands ------------------------------------------------------------------------------


def run(arguments: list[str]) -> int:
    """Open the window; without a display, tour it off screen instead."""
    if not has_display():
        print(
            "There is no display here. The window is driven through the main job off screen "
            "instead:",
            flush=True,
        )
        return tour([])
    # -P: a numpy.py that lies in the folder of a download must not be imported.
    command = [str(BIN / "python"), "-P", "-m", "pruneapp", *arguments]
    return subprocess.run(command, check=False).returncode


def has_display() -> bool:
    """Whether a window can be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def tour(arguments: list[str]) -> int:
    """Drive the real window through the main job and write a picture of each step."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [str(BIN / "python"), str(ROOT / "packaging" / "tour.py"), *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


def bench(arguments: list[str]) -> int:
    """Measure speed and memory."""
    command = [str(BIN / "python"), "-m", "tests.benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def sizes(arguments: list[str]) -> int:
    """Write weights in every format at five sparsities; measure, load and compare them."""
    command = [str(BIN / "python"), "-m", "tests.benchmarks.format_sizes", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def faults(arguments: list[str]) -> int:
    """Let calls of the system fail under exports, kill them, and look at what is left."""
    command = [str(BIN / "python"), "-m", "tests.reliability", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def monkey(arguments: list[str]) -> int:
    """Let somebody play with the window who knows nothing, and note what goes wrong."""
    command = [str(BIN / "python"), "-m", "tests.monkey", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def test(arguments: list[str]) -> int:
    """Check format, lint, types, layers and structure, and run all tests; or only pytest.

    All tests end with a line of how much of the package they ran: a figure, which fails nothing.
    """
    steps = [
        ["ruff", "format", "--check"],
        ["ruff", "check"],
        ["mypy"],
        ["lint-imports"],
        ["python", "packaging/structure.py", "--check"],
        # One more than the two cores there are at least: tests of the window wait half of the time.
        ["pytest", "-n", "3", "--dist", "worksteal"],
    ]
    if arguments:
        steps = [["pytest", *arguments]]
    failed = []
    compilation = threading.Thread(target=compile_tests)
    if not arguments:
        compilation.start()
    for step in steps:
        began = time.monotonic()
        print(f"== {' '.join(step)}", flush=True)
        measuring = step[0] == "pytest" and not arguments
        if measuring:
            compilation.join()
        environment = measured() if measuring else None
        command = [str(BIN / step[0]), *step[1:]]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        print(f"== {step[0]}: {time.monotonic() - began:.1f} s", flush=True)
        if done.returncode:
            failed.append(" ".join(step))
        if measuring and not (environment and covers("--total")):
            print("coverage: not measured; see above", flush=True)
    if failed:
        print("Failed:", *failed, sep="\n  ")
        return 1
    return 0


def bundle(arguments: list[str]) -> int:
    """Make what runs without a Python."""
    command = [sys.executable, str(ROOT / "packaging" / "bundle.py"), *arguments]
    return subprocess.run(command, check=False).returncode


def compile_tests() -> None:
    """Compile all tests, beside mypy: else each process of pytest does it by itself."""
    command = [str(BIN / "pytest"), "--collect-only", "-q", "-q"]
    quiet = subprocess.DEVNULL  # what is wrong is said when they run
    subprocess.run(command, cwd=ROOT, env=compiled(), stdout=quiet, stderr=quiet, check=False)


def compiled() -> dict[str, str]:
    """Return an environment in which modules are compiled once, also where that is not usual."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def measured() -> dict[str, str] | None:
    """Return an environment in which all processes note which lines they run, if it can be."""
    if not covers("--prepare"):
        return None
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    return {
        **compiled(),
        "PYTHONPATH": os.pathsep.join([str(PROBES), *others]),
        "PRUNEAPP_COVERAGE": str(ROOT / "build" / "coverage"),
    }


def covers(what: str) -> bool:
    """Have the coverage prepared or printed; returns whether that went well."""
    command = [str(BIN / "python"), str(COVERAGE), what]
    return not subprocess.run(command, cwd=ROOT, check=False).returncode


COMMANDS = {
    "run": run,
    "test": test,
    "bench": bench,
    "sizes": sizes,
    "faults": faults,
    "monkey": monkey,
    "tour": tour,
    "bundle": bundle,
}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
