"""Folders that contain several models in subfolders: diffusers pipelines and Hugging Face caches.

A pipeline has a ``model_index.json`` and a subfolder for each component. A cache has a folder
``models--ORG--NAME`` for each model, with ``snapshots/REVISION``; ``refs/BRANCH`` contains the
commit of a branch. The components of a pipeline are offered like the state dicts of a file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pruneapp.checkpoint.contents import Notice
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.model_folder import find_model, names_in
from pruneapp.errors import CheckpointError, UnrecognizedFileError, first_names

PIPELINE_INDEX = "model_index.json"
_CACHED = "models--"


@dataclass(frozen=True)
class ModelChoice:
    """The folder of a model, and the alternatives to it."""

    path: Path  # the folder to open
    key: str = ""  # the name of the component; empty if there is no choice of components
    components: tuple[str, ...] = ()  # all components with weights, those with most bytes first
    notices: tuple[Notice, ...] = ()


def choose_model(path: Path, state_dict: str | None) -> ModelChoice:
    """Return the model to open for a path, which may be a folder that contains several.

    For a Hugging Face cache it is the current snapshot; for a diffusers pipeline, a component. The
    result has notices about what was chosen. Any other folder is its own result.

    Parameters
    ----------
    path
        A folder. For any other path the result is that path.
    state_dict
        The component of a pipeline; None for the one with the largest files. It is also accepted if
        `path` is the local folder of another component of the pipeline; then a name of no component
        is ignored.

    Raises
    ------
    CheckpointError
        If a cache contains several models or no snapshot, or a pipeline has no such component.
    """
    if not is_folder(path):
        return ModelChoice(path)
    notices: tuple[Notice, ...] = ()
    if not is_store(path):
        path, notices = _find_snapshot(path)
    if is_pipeline := _is_file(path / PIPELINE_INDEX):
        pipeline = path
    elif state_dict is not None and not is_store(path) and _is_file(path.parent / PIPELINE_INDEX):
        pipeline = path.parent
    else:
        return ModelChoice(path, notices=notices)
    components = _components(pipeline)
    if not components or (state_dict not in components and not is_pipeline):
        return ModelChoice(path, notices=notices)
    key = components[0] if state_dict is None else state_dict
    if key not in components:
        raise CheckpointError(
            f"The pipeline '{pipeline}' has no component '{key}' with weights.",
            remedy=f"Choose one of: {first_names(components, len(components))}.",
        )
    if len(components) > 1 and is_pipeline:
        notices = (
            *notices,
            Notice(
                f"'{path.name}' is a pipeline of diffusers with models in "
                f"{first_names(components, len(components))}. '{key}' was opened; choose another "
                "with File > Choose state dict… or --state-dict, or open its folder."
            ),
        )
    return ModelChoice(pipeline / key, key, components, notices)


def _is_file(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.is_file()
    return False


def _components(pipeline: Path) -> tuple[str, ...]:
    """Return the subfolders that contain a model, sorted by descending size of the weights.

    Equal sizes are sorted by name. Subfolders without a model, or that cannot be read, are omitted.
    """
    sizes = {}
    for name in names_in(pipeline):
        with contextlib.suppress(CheckpointError, OSError):
            if is_folder(pipeline / name):
                files, _ = find_model(pipeline / name)
                weights = files
                if files[0].suffix == ".json":
                    weights = tuple(files[0].parent.glob(f"*{files[0].suffixes[0]}"))
                sizes[name] = sum(file.stat().st_size for file in weights)
    return tuple(sorted(sizes, key=lambda name: (-sizes[name], name)))


def _find_snapshot(path: Path) -> tuple[Path, tuple[Notice, ...]]:
    """Return the snapshot to open and a notice if a path is a Hugging Face cache of one model.

    `path` may be the folder ``models--…`` or ``snapshots`` in it. Any other path is returned
    unchanged, without a notice. Raises `UnrecognizedFileError` if there is no snapshot, or if
    `path` is a whole cache with ``models--…`` folders.
    """
    root = path.parent if path.name == "snapshots" else path
    if not root.name.startswith(_CACHED) or not is_folder(root / "snapshots"):
        _refuse_whole_cache(path)
        return path, ()
    revisions = [n for n in names_in(root / "snapshots") if is_folder(root / "snapshots" / n)]
    if not revisions:
        raise UnrecognizedFileError(
            f"The cache '{root}' contains no snapshot.", remedy="Download the model again."
        )
    chosen = _current_revision(root, revisions)
    others = [name for name in revisions if name != chosen]
    more = f" Open another revision by its folder: {first_names(others)}." if others else ""
    text = f"'{root.name}' is a cache of Hugging Face; its revision '{chosen}' was opened.{more}"
    return root / "snapshots" / chosen, (Notice(text),)


def _current_revision(root: Path, revisions: Sequence[str]) -> str:
    """Return the revision of the branch ``main``, or else the most recently changed one."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        branch = root / "refs" / "main"
        # Reading a pipe may never end.
        if branch.is_file() and (main := branch.read_text(encoding="utf-8").strip()) in revisions:
            return main
    return max(revisions, key=lambda name: ((root / "snapshots" / name).stat().st_mtime_ns, name))


def _refuse_whole_cache(path: Path) -> None:
    """Raise `UnrecognizedFileError` if `path` is the folder of a whole Hugging Face cache.

    That is a folder with folders ``models--…``, some of which the message names. Nothing is raised
    if the folder cannot be read.
    """
    try:
        names = names_in(path)
    except CheckpointError:  # reading the folder later raises a better message
        return
    models = [name for name in names if name.startswith(_CACHED) and is_folder(path / name)]
    if models:
        raise UnrecognizedFileError(
            f"The folder '{path}' is a cache of Hugging Face with {len(models):,} models.",
            remedy=f"Open one of them: {first_names(models, 5)}.",
        )
