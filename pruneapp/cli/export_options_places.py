"""Which files a command reads and writes: none of these may be in the way of another."""

from __future__ import annotations

import argparse
import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.cli.arguments import option_of
from pruneapp.errors import ParameterError
from pruneapp.export.catalog import get
from pruneapp.export.destination.sidecars import companions
from pruneapp.export.destination.target import check_file, folder_is_there
from pruneapp.export.exporter import ExportRequest, is_folder
from pruneapp.params_declared import validate_all

# Options that name a file to read, and those that name one that is replaced.
_READ = ("recipe", "mask", "importance_scores", "load_method")
_WRITTEN = ("save_recipe", "report")
# What may be written beside the export.
_BESIDE = ("report", "check_script", "save_recipe")


def check_places(
    options: argparse.Namespace, checkpoint: Checkpoint, request: ExportRequest
) -> None:
    """Refuse what would be lost, and what could not be written, before anything is computed.

    Parameters
    ----------
    options
        What the person wants.
    checkpoint
        What was opened. An export may take its place: the original is kept then.
    request
        Where the export goes; a folder may be made there, and a report go into it.

    Raises
    ------
    ParameterError
        If a file that is read would be replaced, or one that is written here, or one file gets a
        name that ends as those of folders do; or a file has no name, or is standard output.
    ExportError
        If a report, a script or a recipe may not go where it should.
    """
    _refuse_no_file(options)
    output = request.path
    form = get(request.format)
    values = validate_all(form.params, request.params)
    if options.output.endswith(("/", os.sep)) and not is_folder(checkpoint, output, form, values):
        raise ParameterError(
            f"'{options.output}' is the name of a folder, but the export is a single file.",
            remedy=f"Add the name of a file to it: '{options.output}model{form.suffixes[0]}'.",
        )
    _refuse_read_only(output, replace_original=request.replace_original)
    homes = [f.path.parent if checkpoint.contents.shards else f.path for f in checkpoint.files]
    compared = request.replace_original and getattr(options, "check_script", None)
    if compared and any(_same(output, home) for home in homes):
        word = option_of("check_script")
        raise ParameterError(
            f"{word} needs the original, which --replace-original deletes.",
            remedy="Leave one of them out.",
        )
    written = list(_named(options, _WRITTEN))
    read = list(_named(options, _READ))
    for (word, path), (_, other) in itertools.product([("output", output), *written], read):
        if _same(path, other):
            raise _lost(word, path)
    for (word, path), other in itertools.product(written, _files_of(checkpoint)):
        if _same(path, other):
            raise _lost(word, path)
    for (word, path), (other_word, other) in itertools.combinations(
        [("output", output), *written], 2
    ):
        if _same(path, other):
            raise ParameterError(
                f"{option_of(other_word)} and {option_of(word)} name the same file ('{path}').",
                remedy="Choose another name for one of them.",
            )
    for _, path in _named(options, _BESIDE):
        if not _inside(path, output):
            check_file(path)


def refuse_written(path: Path, files: Iterator[Path]) -> None:
    """Refuse a name that a file of the export has got.

    Raises
    ------
    ParameterError
        If it has.
    """
    for file in files:
        if _same(path, file):
            raise ParameterError(
                f"'{path}' is a file of the export, and was not replaced by a report.",
                remedy="Choose another name.",
            )


def _refuse_no_file(options: argparse.Namespace) -> None:
    """Refuse an empty name, and the dash that other programs take for standard output."""
    for name, text in _texts(options, _BESIDE):
        if text in {"", "-"}:
            raise ParameterError(
                f"{option_of(name)} must be the name of a file (got '{text}').",
                remedy="For a file that is called '-', write './-'." if text else "",
            )


def _refuse_read_only(path: Path, *, replace_original: bool) -> None:
    """Refuse a file that nobody may write, though the system lets it be replaced by another."""
    try:
        mode = path.stat().st_mode
    except OSError:  # it is not there; what else is wrong with the name is said later
        return
    if replace_original or not stat.S_ISREG(mode) or mode & 0o222:
        return
    raise ParameterError(
        f"'{path}' is read-only, and is not replaced.",
        remedy="Choose another name, make it writable, or allow it with --replace-original.",
    )


def _named(options: argparse.Namespace, names: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    return ((name, Path(text)) for name, text in _texts(options, names) if text)


def _texts(options: argparse.Namespace, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in names:
        given = getattr(options, name, None)
        for text in given if isinstance(given, list) else [given]:
            if text is not None:
                yield name, text


def _files_of(checkpoint: Checkpoint) -> Iterator[Path]:
    yield from (file.path for file in checkpoint.files)
    if checkpoint.contents.index is not None:
        yield checkpoint.contents.index
    yield from companions(checkpoint).values()


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # not there yet, or no name of a file
        return _place(one) == _place(other)


def _inside(path: Path, folder: Path) -> bool:
    return not folder_is_there(folder) and _place(folder) in _place(path).parents


def _place(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no name of a file
        return path.absolute()


def _lost(name: str, path: Path) -> ParameterError:
    return ParameterError(
        f"'{path}' is an input of this command, and {option_of(name)} would replace it.",
        remedy="Choose another name.",
    )
