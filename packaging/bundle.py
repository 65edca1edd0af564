"""Build bundles: folders with the application, its Python and all dependencies, and archives.

    python3 packaging/dev.py bundle [--flavour small|full]... [--check [--write]]

Each flavour has its own environment in build/bundle/, into which the wheel is installed, and from
which PyInstaller builds the folder (see `pruneapp.spec`). The following steps are the same on every
system: symbols and paths of this machine are removed, licences are added, and all files get the
time of the commit. dist/ then contains the folder, an archive of it, and on Linux a Debian package.
--check builds each flavour twice and does the main job with it on a system without Python; --write
stores the figures in docs/performance.md.

Standard library only. Needs strip (binutils) and, for the package, dpkg-deb.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import bundle_parts
from bundle_parts import ROOT

WORK = ROOT / "build" / "bundle"
DIST = ROOT / "dist"
PACKAGING = ROOT / "packaging"
WINDOWS = os.name == "nt"


class BundleError(Exception):
    """Building a bundle failed; the text says why, and what to do."""


@dataclass(frozen=True)
class Bundle:
    """The results for one flavour."""

    flavour: str
    folder: Path
    archive: Path | None = None
    package: Path | None = None  # for Debian

    @property
    def program(self) -> Path:
        """The executable, which is also the command."""
        return self.folder / ("pruneapp.exe" if WINDOWS else "pruneapp")


def build(flavour: str, *, again: bool = False) -> Bundle:
    """Build a bundle; with `again` only the folder, elsewhere, for comparison."""
    python = environment(flavour)
    print(f"Making the {flavour} bundle{' again' if again else ''}", flush=True)
    folder = freeze(flavour, python, WORK / f"{flavour}-again" if again else DIST)
    finish(folder, flavour, python)
    if again:
        return Bundle(flavour, folder)
    # On macOS the application is a bundle folder.
    app = folder.parent / "Pruneapp.app"
    packed = archive(app if sys.platform == "darwin" else folder, flavour)
    package = debian_package(folder, flavour) if shutil.which("dpkg-deb") else None
    return Bundle(flavour, folder, packed, package)


# -- the environment -------------------------------------------------------------------------


def environment(flavour: str) -> Path:
    """Return the Python of an environment with the wheel, its dependencies, and PyInstaller."""
    if not WINDOWS and not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        raise BundleError(
            f"'{sys.executable}' was built without a shared library, which a bundle needs. Run this"
            " with the system's python3, or one built with --enable-shared."
        )
    venv = WORK / f"python-{flavour}"
    python = venv / ("Scripts/python.exe" if WINDOWS else "bin/python")
    asked = [*requirements(flavour), "-r", str(PACKAGING / "bundle-requirements.txt")]
    constraints = PACKAGING / "constraints.txt"
    content = hashlib.sha256(constraints.read_bytes())
    content.update(f"{sys.version} {sys.base_prefix} {venv} {asked}".encode())
    stamp = venv / "pruneapp-installed"
    if not stamp.exists() or stamp.read_text() != content.hexdigest():
        print(f"Making the environment of the {flavour} bundle", flush=True)
        run([sys.executable, "-m", "venv", "--clear", venv])
        run([python, "-m", "pip", "install", "-q", "-c", constraints, *asked])
        stamp.write_text(content.hexdigest())
    if "torch" not in bundle_parts.LEFT_OUT[flavour] and said(
        [python, "-c", "import torch; print(torch.version.cuda or '')"]
    ):
        raise BundleError(
            "pip installed torch for CUDA, which is gigabytes; the full bundle has that for CPUs. "
            "Set PIP_EXTRA_INDEX_URL to the index of torch's builds for CPUs, remove "
            f"{venv.relative_to(ROOT)}, and try again."
        )
    wheels = WORK / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    run([python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT])
    (wheel,) = wheels.glob("*.whl")
    run([python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel])
    return python


def requirements(flavour: str) -> list[str]:
    """Return the requirements of a bundle, from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    found = [*project["dependencies"]]
    for extra in bundle_parts.EXTRAS[flavour]:
        found += extras[extra]
    return [one for one in found if name_of(one) not in bundle_parts.LEFT_OUT[flavour]]


def name_of(requirement: str) -> str:
    """Return the normalized name of a package, from a requirement or a file name."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


# -- the folder --------------------------------------------------------------------------------


def freeze(flavour: str, python: Path, target: Path) -> Path:
    """Run PyInstaller, and return the folder."""
    icons = WORK / "icons"
    if not sys.platform.startswith("linux"):
        run([python, PACKAGING / "icon_files.py", ROOT / "resources/icons/pruneapp.svg", icons])
    work = WORK / f"work-{flavour}"
    shutil.rmtree(work, ignore_errors=True)
    made = work / "pruneapp"
    run(
        [
            # -P: import the installed pruneapp with its resources, not that of the checkout.
            *(python, "-P", "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"),
            *("--distpath", work, "--workpath", work / "steps"),
            *(PACKAGING / "pruneapp.spec", "--", flavour, icons),
        ],
        environment={
            "PYTHONHASHSEED": "0",
            "SOURCE_DATE_EPOCH": str(commit_time()),
            "PYINSTALLER_CONFIG_DIR": str(work / "cache"),
        },
    )
    target.mkdir(parents=True, exist_ok=True)
    folder = target / ("pruneapp" if flavour == "small" else f"pruneapp-{flavour}")
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)
    if sys.platform == "darwin":
        app = folder.parent / "Pruneapp.app"
        shutil.rmtree(app, ignore_errors=True)
        (work / "Pruneapp.app").rename(app)
    shutil.rmtree(work)
    return folder


def finish(folder: Path, flavour: str, python: Path) -> None:
    """Remove symbols and paths of this machine, add licences, and set file times."""
    for file in regular_files(folder):
        if sys.platform.startswith("linux") and file.name != "pruneapp":
            strip(file)
        forget_paths(file)
    add_licences(folder, flavour, python)
    when = commit_time()
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            runs = path.is_dir() or path.name == "pruneapp" or path.suffix in {".so", ".dylib"}
            path.chmod(0o755 if runs else 0o644)
        if os.utime in os.supports_follow_symlinks:
            os.utime(path, (when, when), follow_symlinks=False)
    os.utime(folder, (when, when))


def strip(file: Path) -> None:
    """Strip the symbols of a Linux library, unless it could not be loaded any more.

    strip breaks libraries in wheels whose sections were moved by auditwheel.
    """
    with file.open("rb") as opened:
        if opened.read(4) != b"\x7fELF":
            return
    stripped = file.with_name(file.name + ".stripped")
    run(["strip", "-o", stripped, file])
    if is_loadable(stripped.read_bytes()):
        stripped.replace(file)
    else:
        stripped.unlink()


def is_loadable(elf: bytes) -> bool:
    """Return whether the segments of a 64-bit ELF file are aligned so that they can be mapped."""
    (start,) = struct.unpack_from("<Q", elf, 32)
    size, number = struct.unpack_from("<HH", elf, 54)
    for segment in range(number):
        kind, _, offset, address, _, _, _, alignment = struct.unpack_from(
            "<IIQQQQQQ", elf, start + segment * size
        )
        if kind == 1 and alignment > 1 and (offset - address) % alignment:
            return False
    return True


def forget_paths(file: Path) -> None:
    """Overwrite paths of this machine with an equally long path that does not exist.

    Python modules contain the installation folder, which the linker would search. The last
    component is kept: compilers merge strings with equal ends, so it may be part of another string
    (a Python in .../3.11.7 has no other copy of its version).
    """
    data = file.read_bytes()
    changed = data
    for place in places():
        above, _, last = place.rpartition(b"/")
        nowhere = b"/nonexistent"[: len(above)].ljust(len(above), b"/")
        changed = changed.replace(place, nowhere + b"/" + last)
    if changed != data:
        file.write_bytes(changed)


def places() -> list[bytes]:
    """Return folders that are specific to this machine, the longest first."""
    of_python = [sysconfig.get_config_var(f"abs_{name}dir") for name in ("build", "src")]
    found = {str(ROOT), sys.base_prefix, sys.prefix, str(Path.home()), *of_python}
    # System folders exist on all machines; /root is a usual home folder elsewhere too.
    usual = {"/usr", "/usr/local", "/", "/root", "None"}
    kept = (os.fsencode(place) for place in map(str, found) if place not in usual)
    return sorted((place for place in kept if len(place) > 4), key=lambda p: (-len(p), p))


def regular_files(folder: Path) -> Iterator[Path]:
    """Yield all files that are not links, in order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def commit_time() -> int:
    """Return the time of the commit in seconds; without git that of the changelog."""
    found = os.environ.get("SOURCE_DATE_EPOCH") or said(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
    )
    return int(found) if found else int((ROOT / "CHANGELOG.md").stat().st_mtime)


# -- licences ----------------------------------------------------------------------------------

_LICENCES_OF = """
import json, sys
from importlib.metadata import distributions
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as name

there = {name(one.metadata["Name"]): one for one in distributions()}
found, left_out = [], set(sys.argv[1].split())
wanted = ["pruneapp", *sys.argv[2:]]
while wanted:
    one = there.get(wanted.pop())
    if one is None or one in found:
        continue
    found.append(one)
    # It starts the program, and nothing that it needs itself is inside.
    for text in () if name(one.metadata["Name"]) == "pyinstaller" else one.requires or ():
        need = Requirement(text)
        here = not need.marker or need.marker.evaluate({"extra": ""})
        if here and name(need.name) not in left_out:
            wanted.append(name(need.name))
words = ("licen", "copying", "notice", "authors")


def is_wanted(parts):
    return ".dist-info" in parts[0] and any(w in "/".join(parts[1:]).lower() for w in words)


print(json.dumps({
    name(one.metadata["Name"]): [
        one.version,
        one.metadata["License-Expression"] or one.metadata["License"] or "",
        [
            [str(file), str(file.locate())] for file in one.files or () if is_wanted(file.parts)
        ],
    ]
    for one in found
}))
"""


def add_licences(folder: Path, flavour: str, python: Path) -> None:
    """Write the licences of all components to the folder's licences/, with a list of them.

    Raises
    ------
    BundleError
        If the licence of a component is unknown.
    """
    target = folder / "licences"
    lines = []
    for name, (version, words, files) in packages(flavour, python).items():
        where = target / name
        where.mkdir(parents=True)
        own = bundle_parts.LICENCES.get(name, ())
        for number, (inside, source) in enumerate(files):
            parts = Path(inside).parts[1:]
            plain = "-".join(part for part in parts if part != "licenses")
            shutil.copyfile(
                source, where / (plain if len(plain) < 120 else f"{number}-{parts[-1]}")
            )
        for text in own:
            shutil.copyfile(PACKAGING / "licences" / text, where / text)
        if not files and not own:
            raise BundleError(
                f"The wheel of {name} {version} has no licence. Add the text to packaging/licences/"
                " and the name to LICENCES in packaging/bundle_parts.py."
            )
        # Some packages have the whole licence text in this field.
        first = words.strip().splitlines()[0] if words.strip() else ""
        lines.append(f"{name} {version}: {first[:80] or 'see its folder'}")
    for name, file in (("python", licence_of_python()), *licences_of_system(folder)):
        (target / name).mkdir(exist_ok=True)
        shutil.copyfile(file, target / name / "copyright.txt")
        lines.append(f"{name}: see its folder")
    notice = (PACKAGING / "licences" / "NOTICE.txt").read_text(encoding="utf-8")
    (target / "README.txt").write_text(notice + "\n" + "\n".join(sorted(lines)) + "\n", "utf-8")


def packages(flavour: str, python: Path) -> dict[str, tuple[str, str, list[tuple[str, str]]]]:
    """Return the included packages by name: version, licence name, and licence files."""
    left_out = " ".join(bundle_parts.LEFT_OUT[flavour])
    more = ["pyinstaller", *(name_of(one) for one in requirements(flavour))]
    found: dict[str, tuple[str, str, list[tuple[str, str]]]] = json.loads(
        said([python, "-c", _LICENCES_OF, left_out, *more])
    )
    return dict(sorted(found.items()))


def licence_of_python() -> Path:
    """Return the path of the interpreter's licence."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    debian = Path(f"/usr/share/doc/python3.{sys.version_info.minor}/copyright")
    for file in (stdlib / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt", debian):
        if file.exists():
            return file
    raise BundleError(f"The licence of Python was not found in {stdlib}.")


def licences_of_system(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield system libraries that Python needs, with the paths of their licences."""
    if not sys.platform.startswith("linux"):
        return  # on other systems Python's installers contain them, with their licences
    inside = folder / "_internal"
    for library in sorted(inside.glob("lib*.so*")):
        if library.is_symlink() or not bundle_parts.OF_PYTHON.match(library.name):
            continue
        if library.name.startswith("libpython"):
            continue
        for place in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib", "/lib64"):
            file = Path(place, library.name)
            owner = said(["dpkg", "-S", file]) if file.exists() and shutil.which("dpkg") else ""
            copyright_ = Path("/usr/share/doc", owner.partition(":")[0], "copyright")
            if owner and copyright_.exists():
                yield owner.partition(":")[0], copyright_.resolve()
                break
        else:
            raise BundleError(
                f"The licence of the system's {library.name} was not found; dpkg knows no package "
                "with it. Build on Debian or Ubuntu."
            )


# -- archives ----------------------------------------------------------------------------------


def archive(folder: Path, flavour: str) -> Path:
    """Pack the folder reproducibly."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    machine = os.environ.get("PROCESSOR_ARCHITECTURE") or os.uname().machine
    stem = f"pruneapp-{version()}-{flavour}-{system}-{machine.lower()}"
    when = commit_time()
    if WINDOWS:
        target = DIST / f"{stem}.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for file in regular_files(folder):
                name = f"{folder.name}/{file.relative_to(folder).as_posix()}"
                packed.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)
        return target
    target = DIST / f"{stem}.tar.xz"
    with lzma.open(target, "wb", preset=1) as stream, tarfile.open(fileobj=stream, mode="w") as tar:
        for path in [folder, *sorted(folder.rglob("*"))]:
            name = Path(folder.name, path.relative_to(folder)).as_posix()
            about = tar.gettarinfo(path, name)
            about.uid = about.gid = 0
            about.uname = about.gname = "root"
            about.mtime = when
            if about.isreg():
                with path.open("rb") as opened:
                    tar.addfile(about, opened)
            else:
                tar.addfile(about)
    return target


def debian_package(folder: Path, flavour: str) -> Path:
    """Build a Debian package: the folder, the command, and desktop files.

    The databases of MIME types and desktop files are updated by triggers of their packages, so no
    maintainer scripts are needed.
    """
    name = folder.name
    root = WORK / f"deb-{flavour}"
    shutil.rmtree(root, ignore_errors=True)
    library = root / "usr" / "lib" / "pruneapp"
    shutil.copytree(folder, library, symlinks=True)
    for source, place in shared_files().items():
        file = root / "usr" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, file)
    command = root / "usr" / "bin" / "pruneapp"
    command.parent.mkdir(parents=True)
    command.symlink_to("../lib/pruneapp/pruneapp")
    documents = root / "usr" / "share" / "doc" / name
    documents.mkdir(parents=True)
    shutil.copyfile(ROOT / "LICENSE", documents / "copyright")
    (documents / "changelog.gz").write_bytes(
        gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0)
    )
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(control_of(name, flavour, megabytes(library)), encoding="utf-8")
    when = commit_time()
    for path in sorted(root.rglob("*"), reverse=True):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        os.utime(path, (when, when), follow_symlinks=False)
    target = DIST / f"{name}_{version()}_{architecture()}.deb"
    run(
        ["dpkg-deb", "-Zxz", "-z1", "--root-owner-group", "--build", root, target],
        environment={"SOURCE_DATE_EPOCH": str(when)},
        quiet=True,
    )
    shutil.rmtree(root)
    return target


def control_of(name: str, flavour: str, size: float) -> str:
    """Return the text of the package's control file."""
    from dev import QT_LIBRARIES

    other = "pruneapp-full" if flavour == "small" else "pruneapp"
    needed = ", ".join(["libc6 (>= 2.34)", "libstdc++6", *sorted(set(QT_LIBRARIES.values()))])
    torch = {"small": "Without torch.", "full": "With torch for CPUs, onnx and tokenizers."}
    return (
        f"Package: {name}\nVersion: {version()}\nArchitecture: {architecture()}\n"
        f"Maintainer: The Pruneapp authors <pruneapp@example.org>\n"
        f"Installed-Size: {int(size * 1e6 / 1024)}\n"
        f"Depends: {needed}\nConflicts: {other}\nReplaces: {other}\n"
        "Section: science\nPriority: optional\n"
        "Description: prune neural network checkpoints by pointing and clicking\n"
        " Opens a checkpoint of safetensors, PyTorch, ONNX, GGUF or NumPy, shows what would be\n"
        f" pruned weight by weight, prunes it, and exports it. {torch[flavour]}\n"
    )


def shared_files() -> Mapping[Path, str]:
    """Return files for a Linux desktop, and their paths below /usr."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    return {ROOT / source: target for source, target in wheel["shared-data"].items()}


def architecture() -> str:
    """Return Debian's name of this machine's architecture."""
    return said(["dpkg", "--print-architecture"]) or "amd64"


# -- utilities -----------------------------------------------------------------------------------


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def megabytes(path: Path) -> float:
    """Return the size of a file, or of all files of a folder without links, in 10⁶ bytes."""
    files = [path] if path.is_file() else regular_files(path)
    return sum(file.stat().st_size for file in files) / 1e6


def run(
    command: Sequence[object], *, environment: Mapping[str, str] | None = None, quiet: bool = False
) -> None:
    """Run a program in the folder of the checkout; raise `BundleError` if it fails."""
    words = [str(part) for part in command]
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL if quiet else None,
        check=False,
    )
    if done.returncode:
        raise BundleError(f"'{' '.join(words[:6])} …' failed; see above.")


def said(command: Sequence[object]) -> str:
    """Return the output of a program; "" if it fails or does not exist."""
    try:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
