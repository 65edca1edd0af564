"""Packages with entry points, as installed by pip."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "plugin"


def install_package(
    folder: Path, name: str, points: Mapping[str, Mapping[str, str]], code: str
) -> None:
    """Install a package of one module into a folder on sys.path."""
    (folder / f"{name}.py").write_text(code)
    _write_metadata(folder, name, "1.0", points)


def install_example(folder: Path) -> None:
    """Install the package of docs/plugin into a folder on sys.path."""
    shutil.copytree(EXAMPLE / "src" / "pruneapp_example", folder / "pruneapp_example")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    _write_metadata(folder, project["name"], project["version"], project["entry-points"])


def matrix_file(folder: Path, matrix: NDArray[Any]) -> Path:
    """Write a float32 matrix to w.matrix, in the format of the package in docs/plugin."""
    path = folder / "w.matrix"
    rows, columns = matrix.shape
    path.write_bytes(f"MATRIX {rows} {columns}\n".encode() + matrix.astype("<f4").tobytes())
    return path


def _write_metadata(
    folder: Path, name: str, version: str, points: Mapping[str, Mapping[str, str]]
) -> None:
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n")
    lines = []
    for group, named in points.items():
        lines += [f"[{group}]", *(f"{key} = {target}" for key, target in named.items()), ""]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
