"""Build all files that are published for a version, in dist/, with their checksums.

    .venv/bin/python packaging/release.py [--bundle small|full]...

Writes the wheel and the source archive; with --bundle also the bundle of this system as an archive
and, if dpkg-deb is installed, as a Debian package (see bundle.py). SHA256SUMS lists all files of
this version in dist/, including bundles that were built elsewhere and copied there. File times are
those of the commit (SOURCE_DATE_EPOCH), so that two builds of a commit give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import bundle
from bundle_parts import FLAVOURS

CHECKSUMS = "SHA256SUMS"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the files, print their names and sizes, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bundle", action="append", choices=FLAVOURS, default=[])
    options = parser.parse_args(arguments)
    try:
        build_python_archives(bundle.DIST)
        for flavour in options.bundle:
            bundle.build(flavour)
    except bundle.BundleError as error:
        print(error)
        return 1
    for path in write_checksums(bundle.DIST):
        print(f"{path.name}: {bundle.megabytes(path):.1f} MB")
    return 0


def build_python_archives(folder: Path) -> None:
    """Build the wheel and the source archive with the build backend of pyproject.toml.

    Raises
    ------
    BundleError
        If hatchling is not installed or fails.
    """
    if importlib.util.find_spec("hatchling") is None:
        raise bundle.BundleError(
            f"hatchling is not installed. Install it with '{sys.executable} -m pip install "
            "hatchling', or use the Python in .venv."
        )
    bundle.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder],
        environment={"SOURCE_DATE_EPOCH": str(bundle.commit_time())},
    )


def write_checksums(folder: Path) -> list[Path]:
    """Write the SHA-256 of all files of this version for ``sha256sum -c``; return their paths."""
    found = sorted(p for p in folder.glob(f"pruneapp*{bundle.version()}*") if p.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in found]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="ascii", newline="\n")
    return found


if __name__ == "__main__":
    sys.exit(main())
