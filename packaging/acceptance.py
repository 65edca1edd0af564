"""Build bundles, and test them: sizes, start times, contents, the main job without Python.

Called by ``dev.py bundle``; only ``--check`` tests. The bare root is Debian as debootstrap makes it
(minbase) with only the system libraries that Qt's wheel needs; it is kept in build/bundle/ and
needs root. A check that cannot run here reports the reason and counts as failed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import mmap
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import bundle
from bundle import WORK, Bundle, BundleError, megabytes, places, regular_files
from bundle_parts import FLAVOURS, ROOT

SUITE = "bookworm"
BARE_ROOT = WORK / "bare-root"
# Limits of the small bundle; the full one is only measured.
MOST_MEGABYTES = 180.0
MOST_FIRST_PICTURE_S = 0.6
MOST_HELP_S = 0.25
ROUNDS = 5
SAMPLE = "_internal/pruneapp/resources/sample/lenet-digits.safetensors"
PERFORMANCE = ROOT / "docs" / "performance.md"
_BEGIN, _END = "<!-- bundles -->", "<!-- end of bundles -->"

# Prints the names of compressed modules and files in a bundle that contain any of the given paths.
_PACKED = """
import io, marshal, sys, zipfile
from PyInstaller.archive.readers import CArchiveReader

program, library, *places = sys.argv[1:]
places = [place.encode() for place in places]
whole = CArchiveReader(program)
parts = {}
for name, about in whole.toc.items():
    if about[-1] == "z":
        modules = whole.open_embedded_archive(name)
        for module in modules.toc:
            parts[module] = marshal.dumps(modules.extract(module))
    else:
        parts[name] = whole.extract(name)
with zipfile.ZipFile(library) as packed:
    parts |= {name: packed.read(name) for name in packed.namelist()}
assert len(parts) > 300, len(parts)
print(*sorted(n for n, data in parts.items() if any(p in data for p in places)), sep="\\n")
"""


@dataclass
class Table:
    """Results of the checks: work, figure, bound, and whether it holds."""

    flavour: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, work: str, figure: str, bound: str = "", *, holds: bool | None = None) -> None:
        """Add and print a row; `holds` is None if there is no bound."""
        judged = "" if holds is None else "yes" if holds else "NO"
        self.rows.append((work, figure, bound, judged))
        print(f"  {work}: {figure}{f' ({bound})' if bound else ''} {judged}", flush=True)

    def none_of(self, work: str, found: Sequence[str]) -> None:
        """Add a row that holds if `found` is empty."""
        first = f": {', '.join(found[:4])}" if found else ""
        self.add(work, f"{len(found)}{first}", "none", holds=not found)

    def done(self, work: str, trouble: str) -> None:
        """Add a row that holds if `trouble`, the error text, is empty."""
        self.add(work, trouble or "done", "done", holds=not trouble)

    @property
    def failed(self) -> bool:
        return any(row[3] == "NO" for row in self.rows)


def main(arguments: list[str]) -> int:
    """Build the requested flavours, and test them with --check; return the exit status."""
    parser = argparse.ArgumentParser(prog="packaging/dev.py bundle", description=bundle.__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--flavour", action="append", choices=FLAVOURS, help="default: both")
    parser.add_argument("--check", action="store_true", help="build twice, and try what was built")
    parser.add_argument("--write", action="store_true", help="put figures into docs/performance.md")
    options = parser.parse_args(arguments)
    try:
        bundles = [bundle.build(flavour) for flavour in options.flavour or FLAVOURS]
        for built in bundles:
            for made in (built.folder, built.archive, built.package):
                if made is not None:
                    print(f"{made.relative_to(ROOT)}: {megabytes(made):.1f} MB")
        return check(bundles, write=options.write) if options.check else 0
    except BundleError as error:
        print(error)
        return 1


def check(bundles: Sequence[Bundle], *, write: bool) -> int:
    """Run all checks; return the exit status."""
    tables = []
    for made in bundles:
        print(f"The {made.flavour} bundle", flush=True)
        table = Table(made.flavour)
        look_inside(made, table)
        measure(made, table)
        use_without_python(made, table)
        tables.append(table)
    if write:
        write_figures(tables)
    return int(any(table.failed for table in tables))


# -- what is inside ----------------------------------------------------------------------------


def look_inside(made: Bundle, table: Table) -> None:
    """Check sizes, duplicates, licences, paths, and reproducibility."""
    bounded = made.flavour == "small"
    size = megabytes(made.folder)
    bound = f"at most {MOST_MEGABYTES:.0f} MB" if bounded else ""
    table.add(
        "size, unpacked", f"{size:.1f} MB", bound, holds=size <= MOST_MEGABYTES if bounded else None
    )
    for words, file in (("archive", made.archive), ("package for Debian", made.package)):
        if file is not None:
            table.add(f"size of the {words}", f"{megabytes(file):.1f} MB")
    table.none_of("libraries contained twice", twins(made.folder))
    python = bundle.environment(made.flavour)
    names = bundle.packages(made.flavour, python)
    lacking = [name for name in names if not any((made.folder / "licences" / name).iterdir())]
    table.none_of("packages without a licence", lacking)
    table.none_of("files with a path of this machine", with_paths(made, python))
    again = bundle.build(made.flavour, again=True)
    table.none_of("files that differ in a second build", differences(made.folder, again.folder))
    shutil.rmtree(again.folder.parent)


def twins(folder: Path) -> list[str]:
    """Return libraries with equal content or name."""
    by_content: dict[str, list[str]] = defaultdict(list)
    for file in regular_files(folder):
        if ".so" in file.name or file.suffix in {".dll", ".dylib", ".pyd"}:
            by_content[hashlib.sha256(file.read_bytes()).hexdigest()].append(file.name)
            if file.name.startswith("lib"):
                by_content[file.name].append(file.name)
    return sorted(" = ".join(names) for names in by_content.values() if len(names) > 1)


def with_paths(made: Bundle, python: Path) -> list[str]:
    """Return files, and modules inside the program, that contain paths of this machine."""
    searched = [place for place in places() if len(place) > 4]
    found = [
        str(file.relative_to(made.folder))
        for file in regular_files(made.folder)
        if any(place in file.read_bytes() for place in searched)
    ]
    library = made.folder / "_internal" / "base_library.zip"
    command = [python, "-c", _PACKED, made.program, library, *map(os.fsdecode, searched)]
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BundleError(f"The program could not be looked into: {done.stderr}")
    return [*found, *done.stdout.split()]


def differences(one: Path, other: Path) -> list[str]:
    """Return the files whose presence, content, mode or link target differs."""
    first, second = listing(one), listing(other)
    return sorted(name for name in first.keys() | second if first.get(name) != second.get(name))


def listing(folder: Path) -> dict[str, tuple[str, int]]:
    """Return content hash and mode of everything in a folder, by relative path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            content = f"-> {path.readlink()}"
        elif path.is_dir():
            content = ""
        else:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        found[path.relative_to(folder).as_posix()] = content, path.lstat().st_mode
    return found


# -- times ---------------------------------------------------------------------------------------


def measure(made: Bundle, table: Table) -> None:
    """Measure the duration of --help and of the first window, with warm caches."""
    small = made.flavour == "small"
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, **homes(Path(home))}
        times = [timed([made.program, "--help"], environment) for _ in range(ROUNDS + 1)][1:]
        note_times(table, "`pruneapp --help`", times, MOST_HELP_S if small else None)
        if not shutil.which("Xvfb"):
            table.add("first picture, on Xvfb", "not tried: there is no Xvfb", "tried", holds=False)
            return
        times = [first_picture(made, environment) for _ in range(ROUNDS + 1)][1:]
        note_times(table, "first picture, on Xvfb", times, MOST_FIRST_PICTURE_S if small else None)


def note_times(table: Table, work: str, times: Sequence[float], most: float | None) -> None:
    """Add a row with the median and the minimum."""
    median = statistics.median(times)
    figure = f"{median:.2f} s, best {min(times):.2f} s"
    if most is None:
        table.add(work, figure)
    else:
        table.add(work, figure, f"at most {most:.2f} s", holds=median <= most)


def timed(command: Sequence[object], environment: Mapping[str, str]) -> float:
    """Return the duration of a command in seconds."""
    began = time.perf_counter()
    subprocess.run(
        [str(part) for part in command], env=environment, stdout=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - began


def first_picture(made: Bundle, environment: Mapping[str, str]) -> float:
    """Return the seconds from the start of the process to a painted window."""
    with screen() as (display, pixels):
        began = time.perf_counter()
        process = subprocess.Popen(
            [made.program],
            env={**environment, **display},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            # Text has many shades; the initial fill of a screen or window has one.
            while shades(pixels) < 16:
                if process.poll() is not None or time.perf_counter() - began > 60:
                    raise BundleError(f"'{made.program}' showed no window.")
                time.sleep(0.002)  # shorter than the measured precision
            return time.perf_counter() - began
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def screen() -> Iterator[tuple[dict[str, str], mmap.mmap]]:
    """Run Xvfb; yield environment variables for its display, and its pixels as a memory map."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24"]
        server = subprocess.Popen(
            [*command, "-fbdir", folder, "-nolisten", "tcp", "-noreset"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        try:
            with os.fdopen(reading) as told:
                number = told.readline().strip()
            file = Path(folder, "Xvfb_screen0")
            with file.open("rb") as opened:
                pixels = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            with pixels:
                yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}, pixels
        finally:
            server.terminate()
            server.wait(10)


def shades(pixels: mmap.mmap) -> int:
    """Return the number of colors in every eighth line of a screen."""
    start = len(pixels) - 1280 * 800 * 4
    found: set[int] = set()
    for line in range(0, 800, 8):
        begin = start + line * 1280 * 4
        found.update(memoryview(pixels[begin : begin + 1280 * 4]).cast("I"))
    return len(found)


def homes(folder: Path) -> dict[str, str]:
    """Return environment variables that keep the user's settings from being read or written."""
    return {"HOME": str(folder)} | {
        f"XDG_{kind}_HOME": str(folder) for kind in ("CONFIG", "CACHE", "STATE", "DATA")
    }


# -- the main job without a Python ----------------------------------------------------------------


def use_without_python(made: Bundle, table: Table) -> None:
    """Install the package in a bare root, do the main job by command and window, and remove it."""
    why_not = bare_root()
    if why_not or made.package is None:
        why_not = why_not or "there is no package for Debian"
        table.add("a root without Python", f"not tried: {why_not}", "tried", holds=False)
        return
    root = Root(BARE_ROOT)
    table.none_of("programs called python in the bare root", pythons())
    before = listing_of_root()
    shutil.copyfile(made.package, BARE_ROOT / "root" / "pruneapp.deb")
    try:
        table.done("installed there by dpkg", root.trouble(["dpkg", "-i", "/root/pruneapp.deb"]))
        by_command(made, root, table)
        if shutil.which("Xvfb") and shutil.which("xdotool"):
            by_window(root, table)
        else:
            why_not = "not tried: Xvfb or xdotool is missing"
            table.add("the main job in the window", why_not, "tried", holds=False)
    finally:
        removed = root.trouble(["dpkg", "--purge", made.folder.name])
        for file in (BARE_ROOT / "root").iterdir():
            shutil.rmtree(file) if file.is_dir() else file.unlink()
    table.done("removed by dpkg", removed)
    table.none_of("files left behind, or changed", sorted(before ^ listing_of_root()))


def bare_root() -> str:
    """Create the bare root unless it exists; return why that is impossible, or ""."""
    if not sys.platform.startswith("linux"):
        return "this is not Linux"
    if os.geteuid() != 0:
        return "chroot needs root"
    if (BARE_ROOT / "usr/bin/dpkg").exists():
        return ""
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    from dev import QT_LIBRARIES

    print("Making the bare root", flush=True)
    shutil.rmtree(BARE_ROOT, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(QT_LIBRARIES.values())}"]
    done = subprocess.run([*command, SUITE, str(BARE_ROOT)], stdout=subprocess.DEVNULL, check=False)
    return "debootstrap failed; see above" if done.returncode else ""


@dataclass(frozen=True)
class Root:
    """Another root of the file system, in which programs are run."""

    path: Path

    def command(self, words: Sequence[str]) -> list[str]:
        """Return the command line that runs a command in this root, with its own /proc."""
        enter = f'mount -t proc proc "{self.path}/proc" && exec chroot "{self.path}" "$@"'
        bare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, "sh"]
        given = ["HOME=/root", "PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8"]
        return [*bare, "/usr/bin/env", "-i", *given, *words]

    def run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in this root."""
        return subprocess.run(self.command(words), capture_output=True, text=True, check=False)

    def trouble(self, words: Sequence[str]) -> str:
        """Run a command in this root; return its error output if it fails, else ""."""
        done = self.run(words)
        return "" if done.returncode == 0 else (done.stderr.strip() or f"{done.returncode}")[-300:]


def pythons() -> list[str]:
    """Return programs called python in the bare root."""
    found = [*BARE_ROOT.glob("usr/*bin/python*"), *BARE_ROOT.glob("usr/local/bin/python*")]
    return [str(file.relative_to(BARE_ROOT)) for file in found]


def listing_of_root() -> set[str]:
    """Return the files of the bare root with sizes, without those of dpkg and runtime folders."""
    left_out = ("proc", "sys", "dev", "run", "tmp", "root", "var/log", "var/lib/dpkg", "var/cache")
    found = set()
    for folder, folders, files in os.walk(BARE_ROOT):
        inside = Path(folder).relative_to(BARE_ROOT)
        folders[:] = [one for one in folders if (inside / one).as_posix() not in left_out]
        for name in files:
            file = Path(folder, name)
            found.add(f"{(inside / name).as_posix()} {file.lstat().st_size}")
        found.update(f"{(inside / name).as_posix()}/" for name in folders)
    return found


def by_command(made: Bundle, root: Root, table: Table) -> None:
    """Do the main job on the command line, and try features that are missing in the bundle."""
    sample = f"/usr/lib/pruneapp/{SAMPLE}"
    version = root.run(["pruneapp", "--version"]).stdout.strip().replace("\n", "; ")
    known = re.match(r"pruneapp \S+ \(commit \S+, bundle\); Python \S+, Qt 6\.\S+, ", version)
    torch = "no torch" if made.flavour == "small" else "torch 2."
    table.add("`pruneapp --version`", version, "all told", holds=bool(known) and torch in version)
    out = "/root/pruned.safetensors"
    prune = ["pruneapp", "prune", sample, "--method", "l1_unstructured", "--amount", "0.5"]
    for words, command in (
        ("lists the sample", ["pruneapp", "inspect", sample, "--json"]),
        ("prunes and exports it", [*prune, "-o", out]),
        ("the same as a torch file", [*prune, "-o", "/root/pruned.pt"]),
        ("the difference is printed", ["pruneapp", "diff", out, "/root/pruned.pt"]),
        ("parses headers in a separate process", ["pruneapp", "inspect", "/root/pruned.pt"]),
    ):
        table.done(f"command line: {words}", root.trouble(command))
    (BARE_ROOT / "root" / "own.py").write_text(_OWN_METHOD)
    asked = [*prune[:3], "--load-method", "/root/own.py", "--method", "own_method"]
    done = root.run([*asked, "--amount", "0.5", "-o", "/root/own.safetensors"])
    if made.flavour == "full":
        trouble = "" if done.returncode == 0 else done.stderr[-300:]
        table.done("command line: a custom method of torch prunes", trouble)
        return
    trouble = "" if "torch, which is not installed" in done.stderr else done.stderr[-300:]
    table.done("command line: a custom method says that torch is missing", trouble)
    (BARE_ROOT / "root" / "eval.py").write_text("def evaluate(path):\n    return {'loss': 1.0}\n")
    done = root.run(["pruneapp", "evaluate", sample, "--script", "/root/eval.py"])
    trouble = "" if "No Python was found" in done.stderr else done.stderr[-300:]
    table.done("command line: an evaluation asks for a Python", trouble)


_OWN_METHOD = """
import torch
from torch.nn.utils import prune


class OwnMethod(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float = 0.5):
        self.amount = amount

    def compute_mask(self, t, default_mask):
        return default_mask * (t.abs() > t.abs().median())
"""


def by_window(root: Root, table: Table) -> None:
    """Open the sample in the window, prune and export it by keyboard, and check the file."""
    home = BARE_ROOT / "root"
    shutil.copyfile(BARE_ROOT / "usr/lib/pruneapp" / SAMPLE, home / "model.safetensors")
    with screen() as (display, _):
        number = display["DISPLAY"]
        shown = [f"{name}={value}" for name, value in display.items()]
        hands = {**os.environ, "DISPLAY": number}
        process = subprocess.Popen(
            root.command([*shown, "pruneapp", "/root/model.safetensors"]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            trouble = drive(hands, home)
        finally:
            picture = WORK / "window.png"
            if shutil.which("import"):
                subprocess.run(["import", "-window", "root", str(picture)], env=hands, check=False)
            process.kill()
            said_ = process.communicate()[1]
    table.done("window: opens the sample, prunes and exports it", trouble or said_.strip()[-300:])
    if not trouble:
        (exported,) = (file.name for file in home.glob("model-*.safetensors"))
        done = root.run(["pruneapp", "diff", "/root/model.safetensors", f"/root/{exported}"])
        differs = "" if done.returncode == 1 else "nothing was pruned"
        table.done("window: what it exported is pruned", differs)


_OPENED = r"^model\.safetensors"
_SETTLED_S = 3.0


def drive(hands: Mapping[str, str], home: Path) -> str:
    """Press keys until the export is finished; return what did not happen, or ""."""

    def xdotool(*words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=dict(hands), capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def happens(found: Callable[[], object], window: str, key: str = "") -> bool:
        """Wait for `found`, pressing a key every three seconds; return whether it succeeded."""
        until, pressed = time.monotonic() + 60, 0.0
        while not found():
            if time.monotonic() > until:
                return False
            names = xdotool("search", "--onlyvisible", "--name", window).split()
            if key and names and time.monotonic() - pressed > 3:
                xdotool("windowfocus", "--sync", names[0])
                xdotool("key", "--window", names[0], key)
                pressed = time.monotonic()
            time.sleep(0.1)  # a screen sends no notifications
        return True

    def there(name: str) -> Callable[[], str]:
        return lambda: xdotool("search", "--onlyvisible", "--name", name)

    def exported() -> list[Path]:
        return [file for file in home.glob("*.safetensors") if file.name.startswith("model-")]

    if not happens(there(_OPENED), _OPENED):
        return "the file was not opened"
    # the title is set before the file can be pruned, which is not visible from outside
    time.sleep(_SETTLED_S)
    happens(lambda: True, _OPENED)
    xdotool("windowfocus", "--sync", there(_OPENED)().split()[0])
    xdotool("key", "alt+a", "ctrl+a")
    xdotool("type", "50%")
    xdotool("key", "Tab")
    time.sleep(_SETTLED_S)  # the preview is not visible from outside
    xdotool("key", "ctrl+Return")
    time.sleep(_SETTLED_S)  # the finished step is not visible from outside
    if not happens(there("^Export$"), _OPENED, "ctrl+e"):
        return "no dialog for the export came"
    if not happens(there("^Exported$"), "^Export$", "Return"):
        return "nothing was exported"
    return "" if exported() else "the exported file is not there"


# -- figures -----------------------------------------------------------------------------------


def write_figures(tables: Sequence[Table]) -> None:
    """Write the tables between their markers in docs/performance.md."""
    text = PERFORMANCE.read_text(encoding="utf-8")
    lines = [_BEGIN, "## Bundles", ""]
    lines += [
        "What `python3 packaging/dev.py bundle --check` finds; [bundle.md](bundle.md) says what",
        "the bundles are. MB are millions of bytes. Times are medians of five, with warm caches,",
        "from the start of the process.",
        "",
    ]
    for table in tables:
        head = ("work", "figure", "bound", "holds")
        rows = [head, *table.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        drawn = [
            "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
            for row in rows
        ]
        drawn.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        lines += [f"### The {table.flavour} one", "", *drawn, ""]
    python = ".".join(map(str, sys.version_info[:3]))
    day = datetime.now(UTC).date().isoformat()
    lines += [f"Measured on {os.cpu_count()} cores, Linux, Python {python}; {day}.", _END]
    block = "\n".join(lines)
    if _BEGIN in text:
        before, rest = text.split(_BEGIN)
        text = before + block + rest.split(_END)[1]
    else:
        text = text.rstrip("\n") + "\n\n" + block + "\n"
    PERFORMANCE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
