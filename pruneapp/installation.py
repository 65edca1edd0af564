"""The kind of this installation (checkout, wheel or bundle), versions, packages and licenses.

Optional packages are looked up here without importing them. Code that needs a missing package
raises an error with a remedy that fits the kind of installation.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from pruneapp import resources
from pruneapp.errors import MethodError

# Written into wheels and source archives by packaging/commit_hook.py.
COMMIT = "commit.txt"
# Written into wheels and source archives by packaging/commit_hook.py.
_SET_BY_BUNDLE = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "QT_PLUGIN_PATH", "QML2_IMPORT_PATH")


def is_bundle() -> bool:
    """Return whether the application is a bundle with its own Python, which runs nothing else."""
    return bool(getattr(sys, "frozen", False))


def release_environment() -> None:
    """Restore the user's environment variables for programs that a bundle starts.

    Changes `os.environ`; does nothing outside of a bundle. The dynamic linker has already read the
    paths of the bundle's libraries; a Python of the user that inherited them would load ours.
    """
    if not is_bundle():
        return
    for name in _SET_BY_BUNDLE:
        os.environ.pop(name, None)
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
    for name in [name for name in os.environ if name.startswith("_PYI_")]:
        del os.environ[name]


# -- packages that may be missing ------------------------------------------------------------


def has_torch() -> bool:
    """Return whether torch is installed, without importing it."""
    return find_spec("torch") is not None


def require_torch_for_methods() -> None:
    """Raise `MethodError` if torch is not installed: custom methods are torch classes."""
    if not has_torch():
        raise MethodError(
            "Custom pruning methods are classes of torch, which is not installed.",
            remedy=remedy_for("torch"),
        )


def remedy_for(package: str, extra: str = "") -> str:
    """Return how to install a missing package, or the extra of Pruneapp that contains it."""
    if is_bundle():
        return "Use the full bundle of Pruneapp, or install Pruneapp with pip."
    return f"Run: pip install '{f'pruneapp[{extra}]' if extra else package}'"


# -- versions ----------------------------------------------------------------------------------


def versions(version: str) -> dict[str, str]:
    """Return the versions of Pruneapp, Python and main packages, without importing them.

    `version` is that of Pruneapp; the commit is added if it is known. Packages that are not
    installed have "". Runs git, which may take a moment.
    """
    commit = find_commit()
    origin = [f"commit {commit}"] if commit else []
    origin += ["bundle"] if is_bundle() else []
    return {
        "Pruneapp": f"{version} ({', '.join(origin)})" if origin else version,
        "Python": platform.python_version(),
        "Qt": _version("PySide6_Essentials") or _version("PySide6"),
        "numpy": _version("numpy"),
        "torch": _version("torch"),
    }


def describe(version: str) -> str:
    """Return Pruneapp's version, and those of Python, Qt and torch, without importing them."""
    found = versions(version)
    parts = [f"Python {found['Python']}"]
    parts += [f"{n} {found[n]}" if found[n] else f"no {n}" for n in ("Qt", "torch")]
    return f"{found['Pruneapp']}\n{', '.join(parts)}"


def find_commit() -> str:
    """Return the commit of the build or the checkout; "" if unknown."""
    try:
        return resources.path(COMMIT).read_text(encoding="ascii").strip()
    except OSError:
        return commit_of_checkout(Path(__file__).resolve().parent.parent)


def commit_of_checkout(root: Path) -> str:
    """Return the commit of the checkout at `root`, in 12 digits; "" if unknown.

    ``+changes`` is appended if tracked files differ. Unknown if it is no checkout, or git fails.
    """
    if not (root / ".git").exists():
        return ""
    found = [
        _git(root, "rev-parse", "--short=12", "HEAD"),
        _git(root, "status", "--porcelain", "--untracked-files=no"),
    ]
    return found[0] + "+changes" * bool(found[0] and found[1])


def _git(root: Path, *arguments: str) -> str:
    """Return what git prints, without surrounding whitespace; "" if it fails or takes 5 seconds."""
    return _run("git", "-C", str(root), *arguments)


def _run(*command: str) -> str:
    """Return what a program prints, without surrounding whitespace.

    "" if it fails or takes 5 seconds.
    """
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            command, capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # 20 ms

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


# -- the machine -------------------------------------------------------------------------------


def describe_machine(version: str) -> dict[str, str]:
    """Return what a computation may depend on: processor, memory, system and versions.

    `version` is that of Pruneapp. Neither the name of the machine nor that of the user is included.
    Values that are not known are left out.
    """
    found = {
        "Processor": _processor(),
        "CPU cores": str(os.cpu_count() or ""),
        "Memory": _memory(),
        "System": f"{_system()}, {platform.machine()}",
        **versions(version),
    }
    return {name: text for name, text in found.items() if text}


def _processor() -> str:
    """Return the model of the processor; "" if the system does not tell."""
    with suppress(OSError):
        found = re.search(r"(?m)^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"))
        if found is not None:
            return found[1].strip()
    if sys.platform == "darwin":
        return _run("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")
    return platform.processor()


def _memory() -> str:
    """Return the size of the main memory; "" on Windows."""
    with suppress(AttributeError, OSError, ValueError):
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    return ""


def _system() -> str:
    """Return the name and version of the operating system."""
    with suppress(OSError):  # only Linux has the file
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.release()}"


# -- licenses ----------------------------------------------------------------------------------

# Written into bundles by packaging/bundle.py.
LICENSES = "licences"
# Direct dependencies, used for a checkout that is not installed.
_ROOTS = ("PySide6-Essentials", "pyqtgraph", "numpy", "safetensors", "msgspec", "ml_dtypes")
_NAME = re.compile(r"[\w.-]+")
_LISTED = re.compile(r"^([\w.-]+)(?: ([\w.+!-]+))?: (.+)$", re.MULTILINE)
# Maximum characters per license text; some list all of their components.
_LONGEST = 200_000


@dataclass(frozen=True)
class License:
    """The license of a component of the application."""

    name: str
    version: str
    words: str  # name of the license; empty if only its text is known
    text: str  # empty if the package has none


def licenses() -> tuple[License, ...]:
    """Return the licenses of a bundle's components, or of the installed dependencies, by name."""
    beside = Path(sys.executable).parent / LICENSES
    found = _licenses_in_bundle(beside) if is_bundle() else _licenses_of_packages()
    return tuple(sorted(found, key=lambda one: one.name.lower()))


def _licenses_in_bundle(folder: Path) -> Iterator[License]:
    """Yield the licenses in the folder of a bundle, in the order of its list.

    None without the list.
    """
    try:
        listed = (folder / "README.txt").read_text(encoding="utf-8")
    except OSError:
        return
    for name, version, words in _LISTED.findall(listed):
        if (folder / name).is_dir():
            known = "" if words.startswith("see ") else words
            yield License(name, version, known, _read_texts(sorted((folder / name).iterdir())))


def _licenses_of_packages() -> Iterator[License]:
    """Yield the licenses of Pruneapp and of all packages that it requires, directly or not.

    Packages that are not installed, and those of extras, are left out.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    wanted, seen = ["pruneapp", *_ROOTS], set()
    while wanted:
        name = wanted.pop()
        if (key := re.sub(r"[-_.]+", "-", name).lower()) in seen:
            continue
        seen.add(key)
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue  # for another system or Python version
        needs = (need for need in one.requires or () if "extra ==" not in need)
        wanted += [found[0] for need in needs if (found := _NAME.match(need))]
        said = one.metadata
        named = (said.get_all(key) or () for key in ("License-Expression", "License"))
        words = next((text for texts in named for text in texts if text), "")
        kinds = [c for c in said.get_all("Classifier") or () if c.startswith("License :: ")]
        # Some packages have the whole license text in this field.
        first = next(iter(words.strip().splitlines()), "")
        if not 0 < len(first) <= 80:
            first = ", ".join(kind.rpartition(" :: ")[2] for kind in kinds)
        files = [
            Path(str(file.locate()))
            for file in one.files or ()
            if ".dist-info" in str(file) and re.search(r"(?i)licen|copying|notice", file.name)
        ]
        yield License(said["Name"], one.version, first, _read_texts(files))


def _read_texts(files: Iterable[Path]) -> str:
    texts = []
    for file in files:
        with suppress(OSError):
            texts.append(file.read_text(encoding="utf-8", errors="replace")[:_LONGEST].strip())
    return "\n\n".join(texts)
