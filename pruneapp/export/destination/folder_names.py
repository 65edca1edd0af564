"""What the name of an export promises: names that are refused, and what to know of others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import ExportError
from pruneapp.export.destination.sharding import limit_of
from pruneapp.export.destination.sidecars import CONFIG, home_of
from pruneapp.export.destination.target import folder_is_there
from pruneapp.export.format import Format
from pruneapp.results.format_offer import Purpose

_WEIGHTS = "model.safetensors"
_RESERVED = {_WEIGHTS, "pytorch_model.bin"}


def refuse_shard(checkpoint: Checkpoint, target: Path) -> None:
    """Refuse to put a model together in one of its own files."""
    for shard in checkpoint.contents.shards:
        if target.exists() and shard.path.samefile(target):
            raise ExportError(
                f"'{target}' is one of several files of the opened model, and one file cannot "
                f"replace them all.",
                remedy="Choose another name, or the folder.",
            )


def refuse_file(path: Path, form: Format, values: Mapping[str, Any]) -> None:
    """Refuse the name of a file where files of a largest size go into a folder."""
    if limit_of(values) is None or folder_is_there(path) or not form.fits(path.name):
        return
    suffix = next(suffix for suffix in form.suffixes if path.name.lower().endswith(suffix))
    raise ExportError(
        f"With a max shard size a folder is written, but '{path.name}' is the name of a file.",
        remedy=f"Name a folder: '{path.name[: -len(suffix)] or 'model'}'.",
    )


def is_reserved(path: Path) -> bool:
    """Whether transformers takes a file of this name for the weights of a model."""
    return path.name.lower() in _RESERVED


def refuse_reserved(path: Path, form: Format) -> None:
    """Refuse a name that transformers takes for weights of another kind."""
    # transformers 5.23 fills in random numbers for what it does not find in a file of this name,
    # and says so in a log alone.
    if is_reserved(path) and not form.fits(path.name):
        raise ExportError(
            f"transformers takes a file called '{path.name}' for plain weights, which it would "
            f"not be ('{form.label}').",
            remedy=f"Choose another name, one that ends in {form.suffixes[0]}.",
        )


def misnamed(path: Path, form: Format) -> tuple[str, ...]:
    """Say what files of a format are usually called, if not so."""
    if form.fits(path.name):
        return ()
    usual = " or ".join(form.suffixes[:2])
    return (f"'{path.name}' holds '{form.label}'; such files are usually named {usual}.",)


def without_companions(checkpoint: Checkpoint, form: Format) -> tuple[str, ...]:
    """Say what goes with the one file that a folder was packed into, for from_pretrained."""
    home = home_of(checkpoint)
    if not form.good_for_folder or not form.one_file or not (home / CONFIG).is_file():
        return ()
    return (
        (
            f"For from_pretrained '{CONFIG}' and the files of the tokenizer go with it: they are "
            f"in '{home}'. Put them beside the unpacked file, and name that '{_WEIGHTS}'."
        ),
    )


def without_folder(checkpoint: Checkpoint, target: Path, form: Format) -> tuple[str, ...]:
    """Say what is missing for from_pretrained where the file of a whole folder was opened."""
    beside = checkpoint.path.with_name(CONFIG)
    if Purpose.TRANSFORMERS not in form.good_for or checkpoint.contents.shards:
        return ()
    if not beside.is_file() or (target.with_name(CONFIG).is_file() and target.name == _WEIGHTS):
        return ()
    return (
        (
            f"from_pretrained looks for '{_WEIGHTS}' beside '{CONFIG}': open the folder "
            f"'{beside.parent}' instead of the file, and export that, to have both."
        ),
    )
