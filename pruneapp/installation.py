"""What this is an installation of: a checkout, a wheel or a bundle; its versions, and what it has.

Packages that some installations lack are looked for here, and never imported: what needs one says
so in a sentence, with what helps where the application came from.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from pruneapp import resources
from pruneapp.errors import MethodError

# Written into wheels and source archives by packaging/commit_hook.py.
COMMIT = "commit.txt"
# What the start of a bundle sets for itself. Programs that we start have their own libraries.
_SET_BY_BUNDLE = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "QT_PLUGIN_PATH", "QML2_IMPORT_PATH")


def is_bundle() -> bool:
    """Whether the application carries its own Python, which runs nothing else."""
    return bool(getattr(sys, "frozen", False))


def release_environment() -> None:
    """Give programs that a bundle starts the environment that the person gave to the bundle.

    The linker has read where the libraries of the bundle lie; a Python of the person that read it,
    too, would load ours.
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
    """Whether torch is there; does not import it."""
    return find_spec("torch") is not None


def require_torch_for_methods() -> None:
    """Raise `MethodError` if there is no torch, of which people's own methods are classes."""
    if not has_torch():
        raise MethodError(
            "Custom pruning methods are classes of torch, which is not installed.",
            remedy=remedy_for("torch"),
        )


def remedy_for(package: str, extra: str = "") -> str:
    """Return how to get a package that is missing, or the extra of ours that brings it."""
    if is_bundle():
        return "Use the full bundle of Pruneapp, or install Pruneapp with pip."
    return f"Run: pip install '{f'pruneapp[{extra}]' if extra else package}'"


# -- versions ----------------------------------------------------------------------------------


def describe(version: str) -> str:
    """Return the version of ours, and those of Python, Qt and torch; imports none of them."""
    commit = find_commit()
    origin = [f"commit {commit}"] if commit else []
    origin += ["bundle"] if is_bundle() else []
    known = f" ({', '.join(origin)})" if origin else ""
    qt = _version("PySide6_Essentials") or _version("PySide6")
    parts = [f"Python {platform.python_version()}"]
    for name, found in (("Qt", qt), ("torch", _version("torch"))):
        parts.append(f"{name} {found}" if found else f"no {name}")
    return f"{version}{known}\n{', '.join(parts)}"


def find_commit() -> str:
    """Return what this was built from, or what is checked out; empty if nobody knows."""
    try:
        return resources.path(COMMIT).read_text(encoding="ascii").strip()
    except OSError:
        return checked_out(Path(__file__).resolve().parent.parent)


def checked_out(root: Path) -> str:
    """Return the commit of a checkout, ``+changes`` behind it if there are any; asks git."""
    if not (root / ".git").exists():
        return ""
    found = [
        _git(root, "rev-parse", "--short=12", "HEAD"),
        _git(root, "status", "--porcelain", "--untracked-files=no"),
    ]
    return found[0] + "+changes" * bool(found[0] and found[1])


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            ["git", "-C", str(root), *arguments],  # noqa: S607 - whichever the person uses
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
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
