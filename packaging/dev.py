"""The one bootstrap: set up what is needed, then run, test, measure or tour the application.

    python3 packaging/dev.py run [FILE]    open the window; without a display, perform the main
                                           job once, off screen
    python3 packaging/dev.py test [...]    format, lint, types, layers, structure and all tests;
                                           --slow with those that take long, --thorough with
                                           many more examples of each property as well,
                                           --coverage with the share of lines and branches run
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
    python3 packaging/dev.py docs          the documentation as a static site, in build/site
    python3 packaging/dev.py bundle [...]  folders and archives that need no Python, small and full,
                                           in dist/: --flavour small|full, --check [--write]

Standard library only: it is the first thing that runs on a bare machine. "run" installs what the
application needs, the other commands the development tools as well. A stamp in the virtual
environment records what was installed, so that later runs start immediately.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import hashlib
import importlib.util
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
# Three lines: the interpreter and checkout it was created for, a hash of the requirements, and
# whether the development tools were installed as well.
STAMP = VENV / "pruneapp-installed"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")

# By the authors of mkdocs-material, which is not developed any more; reads mkdocs.yml. MIT.
SITE_BUILDER = "zensical==0.0.73"

APPLICATION_ONLY, WITH_TOOLS = "application", "application and tools"
# Lines of pip about its progress, and lines about downloads above 5 MB.
PIP_PROGRESS = re.compile(r"\s*(?P<what>(Collecting|Downloading|Installing|Building) .*)")
LARGE_DOWNLOAD = re.compile(r"\((\d{2,}|[5-9])(\.\d+)? MB\)|GB\)|Installing collected")

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
# Programs that only tests need: an X server, keyboard and mouse input, and a message bus.
TEST_PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool", "dbus-run-session": "dbus-daemon"}
# Files that only tests need on Debian: the accessibility bus and its Python bindings. On other
# systems the test that needs them is skipped with a reason.
TEST_FILES = {
    "/usr/libexec/at-spi-bus-launcher": "at-spi2-core",
    "/usr/lib/python3/dist-packages/gi": "python3-gi",
}


def main() -> int:
    """Run the command that the first argument names."""
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
    if options.command in {"bundle", "docs"}:  # use other environments
        return COMMANDS[options.command](options.arguments)
    for_tests = options.command == "test"
    if not (
        install_system_packages(for_tests=for_tests) and install(for_tests=options.command != "run")
    ):
        return 1
    return COMMANDS[options.command](options.arguments)


# -- setting up ------------------------------------------------------------------------------


def install_system_packages(*, for_tests: bool) -> bool:
    """Install missing system packages as root, or print the command that installs them.

    Returns
    -------
    bool
        Whether nothing is missing any more.
    """
    if not sys.platform.startswith("linux"):
        return True
    missing = [package for library, package in QT_LIBRARIES.items() if not can_load(library)]
    if for_tests:
        missing += [pkg for program, pkg in TEST_PROGRAMS.items() if not shutil.which(program)]
        if shutil.which("apt-get"):
            missing += [package for file, package in TEST_FILES.items() if not Path(file).exists()]
    if not venv_is_complete() and importlib.util.find_spec("ensurepip") is None:
        missing.append("python3-venv")
    if not missing:
        return True
    install_line = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if shutil.which("apt-get") is None:
        print("Please install the equivalents of these Debian packages:", *missing)
        return False
    if os.geteuid() != 0:
        print("Some system packages are missing. Please run this line, then try again:")
        print("  sudo apt-get update && sudo " + " ".join(install_line))
        return False
    print("Installing system packages:", *missing, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], [*install_line, "-qq"]):
        # Only errors are shown: apt-get writes them to standard error.
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


def can_load(library: str) -> bool:
    """Whether the dynamic linker finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def install(*, for_tests: bool) -> bool:
    """Create the virtual environment and install the application into it, once.

    Parameters
    ----------
    for_tests
        Whether to install the development tools as well.

    Returns
    -------
    bool
        Whether everything is installed.
    """
    made_for, content = fingerprints()
    stamp = STAMP.read_text().splitlines() if STAMP.exists() else []
    tools = for_tests or stamp[2:] == [WITH_TOOLS]
    expected = [made_for, content, WITH_TOOLS if tools else APPLICATION_ONLY]
    if stamp == expected and venv_is_complete():
        return True
    # The scripts in a virtual environment contain the paths of the folder and the interpreter, so
    # a checkout that was moved needs a new one. One without a stamp was made by the user, who may
    # have installed torch into it.
    moved = bool(stamp) and stamp[0] != made_for
    if moved and VENV.is_symlink():
        print(".venv is a link to the environment of another checkout, which is left unchanged.")
        print("Remove the link, and this checkout gets an environment of its own.")
        return False
    if moved or not venv_is_complete():
        print("Creating the virtual environment .venv", flush=True)
        make = [sys.executable, "-m", "venv", *(["--clear"] if moved else []), str(VENV)]
        if subprocess.run(make, check=False).returncode:
            print("The virtual environment could not be created; see above.")
            return False
    what = "Pruneapp and the development tools" if tools else "Pruneapp"
    print(f"Installing {what}; the first time takes a few minutes", flush=True)
    pip = [str(BIN / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    constraints = ["-c", str(ROOT / "packaging" / "constraints.txt")]
    project = f"{ROOT}[dev]" if tools else str(ROOT)
    if run_with_progress([*pip, "--progress-bar", "off", *constraints, "-e", project]):
        print("The installation failed; see above. The system was not changed.")
        return False
    STAMP.write_text("\n".join([*expected, ""]))
    return True


def run_with_progress(command: list[str]) -> int:
    """Run pip, show its last line of progress, and return its exit status.

    On a terminal one line is rewritten every second; elsewhere a line is printed for each download
    above 5 MB. If pip fails, the end of its output is printed.
    """
    began = time.monotonic()
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    output: collections.deque[str] = collections.deque(maxlen=30)
    on_terminal, shown = sys.stdout.isatty(), ""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True).start()
        while True:
            try:
                line = lines.get(timeout=1)
            except queue.Empty:
                line = ""
            if line is None:
                break
            if line:
                output.append(line)
                progress = PIP_PROGRESS.match(line)
                shown = progress["what"] if progress else shown
                if progress and not on_terminal and LARGE_DOWNLOAD.search(line):
                    print(f"  {shown}", flush=True)
            if on_terminal:
                width = shutil.get_terminal_size().columns - 1
                text = f"  {time.monotonic() - began:.0f} s  {shown}"[:width]
                print(f"\r{text:{width}}", end="", flush=True)
    if on_terminal:
        print(f"\r{'':{shutil.get_terminal_size().columns - 1}}\r", end="")
    if process.returncode:
        print(*output, sep="\n", flush=True)
    else:
        print(f"  installed in {time.monotonic() - began:.0f} s", flush=True)
    return process.returncode


def read_lines(stream: Iterable[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Put each line of a stream into a queue, then None."""
    for line in stream:
        lines.put(line.rstrip())
    lines.put(None)


def venv_is_complete() -> bool:
    """Whether .venv has an interpreter and pip; without python3-venv Debian leaves half of it."""
    return (BIN / "python").exists() and any(BIN.glob("pip*"))


def fingerprints() -> tuple[str, str]:
    """Return what the environment was created for, and a hash of what is installed into it."""
    made_for = f"{sys.version_info.major}.{sys.version_info.minor} {sys.base_prefix} {ROOT}"
    content = hashlib.sha256()
    for name in ("pyproject.toml", "packaging/constraints.txt"):
        content.update((ROOT / name).read_bytes())
    return made_for, content.hexdigest()


# -- the commands ------------------------------------------------------------------------------


def run(arguments: list[str]) -> int:
    """Open the window; without a display, perform the main job off screen instead."""
    if not has_display():
        print(
            "There is no display. The main job is performed once in an off-screen window instead:",
            flush=True,
        )
        command = [str(BIN / "python"), str(ROOT / "packaging" / "first_run.py"), *arguments]
        return subprocess.run(command, check=False).returncode
    # -P: a numpy.py in the folder of a download must not be imported.
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
    """Inject failures of system calls into exports, kill them, and check the result."""
    command = [str(BIN / "python"), "-m", "tests.reliability", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def monkey(arguments: list[str]) -> int:
    """Send random input to the window, and report errors."""
    command = [str(BIN / "python"), "-m", "tests.monkey", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def test(arguments: list[str]) -> int:
    """Check format, lint, types, layers and structure, and run all tests; or only pytest.

    ``--slow`` and ``--thorough`` are replaced by the options of pytest. With ``--coverage``, all
    processes of the tests record which lines and branches they run, and the figures are printed.
    """
    flags = {"--slow", "--thorough", "--coverage"} & {*arguments}
    arguments = [argument for argument in arguments if argument not in flags]
    # One process more than the minimum of two cores: tests of the window wait half of the time.
    options = [] if arguments else ["-n", "3", "--dist", "worksteal"]
    if "--slow" in flags or "--thorough" in flags:
        options += ["-m", "slow or not slow"]
    if "--thorough" in flags:
        options += ["--hypothesis-profile=thorough"]
    steps = [["pytest", *options, *arguments]]
    if "--coverage" in flags:
        steps = [
            ["coverage", "erase"],
            ["coverage", "run", "-m", *steps[0]],
            ["coverage", "combine", "--quiet"],
            ["coverage", "report"],
        ]
    if not arguments:
        steps = [
            ["ruff", "format", "--check"],
            ["ruff", "check"],
            ["mypy"],
            ["lint-imports"],
            ["python", "packaging/structure.py", "--check"],
            *steps,
        ]
    # Otherwise each process of pytest compiles the tests.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    compilation = threading.Thread(target=compile_tests, args=(environment,))
    if not arguments:
        compilation.start()
    failed = []
    for step in steps:
        began = time.monotonic()
        print(f"== {' '.join(step)}", flush=True)
        if "pytest" in step and not arguments:
            compilation.join()
        command = [str(BIN / step[0]), *step[1:]]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        print(f"== {step[0]}: {time.monotonic() - began:.1f} s", flush=True)
        if done.returncode:
            failed.append(" ".join(step))
    if failed:
        print("Failed:", *failed, sep="\n  ")
        return 1
    return 0


def bundle(arguments: list[str]) -> int:
    """Build bundles that need no Python."""
    command = [sys.executable, str(ROOT / "packaging" / "acceptance.py"), *arguments]
    return subprocess.run(command, check=False).returncode


def docs(arguments: list[str]) -> int:
    """Build the site of the documentation, and fail if a link is broken."""
    environment = ROOT / "build" / "docs"
    programs = environment / BIN.name
    if not (programs / "zensical").exists():
        pip = [str(programs / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
        create = [sys.executable, "-m", "venv", "--clear", str(environment)]
        if subprocess.run(create, check=False).returncode or run_with_progress(
            [*pip, SITE_BUILDER]
        ):
            return 1
    command = [str(programs / "zensical"), "build", "--strict", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def compile_tests(environment: dict[str, str]) -> None:
    """Compile all tests while mypy runs: otherwise each pytest process compiles them."""
    command = [str(BIN / "pytest"), "--collect-only", "-q", "-q"]
    quiet = subprocess.DEVNULL  # errors are reported when the tests run
    subprocess.run(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet, check=False)


COMMANDS = {
    "run": run,
    "test": test,
    "bench": bench,
    "sizes": sizes,
    "faults": faults,
    "monkey": monkey,
    "tour": tour,
    "docs": docs,
    "bundle": bundle,
}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
