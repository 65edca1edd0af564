"""What lies beside the weights of a model and goes along with them: configuration, tokenizer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pruneapp.checkpoint.pipeline import PIECE_BYTES
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.checkpoint.shards import blobs_of
from pruneapp.errors import ExportError, words_of
from pruneapp.export.declaration import Plan

CONFIG = "config.json"
# What a program needs beside the weights: configuration, tokenizer, templates, licence. Never code.
_COMPANIONS = frozenset({".json", ".txt", ".model", ".jinja", ".md"})
_LARGEST_COMPANION = 64 << 20


def home_of(checkpoint: Checkpoint) -> Path:
    """Return the folder that the files of a checkpoint lie in."""
    shards = checkpoint.contents.shards
    return (shards[0].path if shards else checkpoint.path).parent


def is_home(checkpoint: Checkpoint, target: Path) -> bool:
    """Whether a folder is the one that a checkpoint lies in."""
    return target.exists() and home_of(checkpoint).samefile(target)


def files_in(folder: Path) -> list[Path]:
    """Return what lies in a folder, by name.

    Raises
    ------
    ExportError
        If it cannot be listed.
    """
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        remedy = "Ask for the right to read the folder, or take another one."
        raise _refused(f"What lies in '{folder}' cannot be listed", remedy, error) from error


def is_folder_model(checkpoint: Checkpoint) -> bool:
    """Whether the weights are of a model that is a folder: in shards, or with a configuration."""
    return bool(checkpoint.contents.shards) or (home_of(checkpoint) / CONFIG).is_file()


def companions(checkpoint: Checkpoint) -> dict[str, Path]:
    """Return the files beside the weights that a copy of the model needs, by name.

    Nothing at all where one file was opened that lies in no folder of a model: what else is there
    is not for us to copy.

    Raises
    ------
    ExportError
        If the folder cannot be listed.
    """
    if not is_folder_model(checkpoint):
        return {}
    home = home_of(checkpoint)
    found = {}
    for path in files_in(home):
        wanted = path.suffix.lower() in _COMPANIONS or path.name.upper().startswith("LICENSE")
        if not wanted or path.name.startswith(".") or path.name.endswith(".index.json"):
            continue
        if _is_own(path, home):
            found[path.name] = path
    return found


def _is_own(path: Path, home: Path) -> bool:
    # A link may point anywhere; only the cache of the very model is followed.
    try:
        resolved = path.resolve(strict=True)
        inside = [home.resolve(), *(blobs.resolve() for blobs in blobs_of(home.resolve()))]
        small = path.stat().st_size <= _LARGEST_COMPANION
    except OSError:
        return False
    return resolved.is_file() and small and any(resolved.parent == folder for folder in inside)


def same(plan: Plan, there: Path) -> bool:
    """Whether a file that is there already has the bytes of a small one that is planned."""
    if not there.is_file():
        return False
    with reading(there):
        if there.stat().st_size != plan.nbytes:
            return False
        return there.read_bytes() == b"".join(plan.pieces())


def copy_of(path: Path) -> Plan:
    """Plan a copy of a small file; `ExportError` where it cannot be read."""
    with reading(path):
        size = path.stat().st_size

    def pieces() -> Iterator[bytes | memoryview]:
        with reading(path):
            data = path.read_bytes()  # at most `_LARGEST_COMPANION`
        for start in range(0, len(data), PIECE_BYTES):
            yield data[start : start + PIECE_BYTES]

    return Plan(size, pieces, {})


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in a sentence what the system refuses while a file of the model's folder is read."""
    try:
        yield
    except OSError as error:
        remedy = "Ask for the right to read it, or move it out of the folder."
        said = f"'{path}', which goes with the model, cannot be read"
        raise _refused(said, remedy, error) from error


def _refused(said: str, remedy: str, error: OSError) -> ExportError:
    return ExportError(f"{said}: {words_of(error)}.", remedy=remedy, details=str(error))
