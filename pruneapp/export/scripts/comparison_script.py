"""A script that a person runs to see whether their pruned model still works."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from pathlib import Path

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.errors import CheckpointError, ExportError
from pruneapp.export.catalog import get
from pruneapp.export.destination.sidecars import configuration_of
from pruneapp.export.destination.target import check_file, unused_name
from pruneapp.export.format import Format
from pruneapp.export.formats.compact import COMPACT_FILE
from pruneapp.export.formats.resumable import RESUMABLE
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.formats.torch import TORCH
from pruneapp.progress import Job
from pruneapp.results.export import ExportReport


def check_script(checkpoint: Checkpoint, report: ExportReport) -> str:
    """Return a script that compares the outputs of the original and of an export.

    Where the config.json beside the weights names a class of transformers, the script is complete.
    Else the user fills in the one function that makes the model. Raises `ExportError` if the
    original is not there any more, so that the export cannot be compared with it.
    """
    for path in (checkpoint.path, report.path):
        if is_store(path):
            raise ExportError(
                f"The comparison script reads files of a disk, and '{path}' is in a store.",
                remedy="Compare with `pruneapp diff`, or download both first.",
            )
    form = get(report.format)
    before = _format_of(checkpoint)
    original = checkpoint.path
    if checkpoint.contents.shards and original.is_file():
        original = original.parent  # of an index
    loaders = "\n\n\n".join(
        (
            before.load_code.strip().replace("def load(", "def load_original("),
            form.load_code.strip(),
        )
    )
    model = transformers_class(checkpoint)
    template = "check_transformers.py" if model else "check_export.py"
    text = resources.path(template).read_text(encoding="utf-8")
    marks = {
        "import AutoModel as Model": f"import {model} as Model",
        '"@ORIGINAL@"': repr(str(original.absolute())),
        '{"@ORIGINAL_WEIGHTS@": None}': f"{{\n{''.join(_weights(checkpoint))}}}",
        '"@EXPORTED@"': repr(str(report.path.absolute())),
        '"@STATE_DICT@"': repr(checkpoint.contents.state_dict),
        "# @FILES@": resources.path("check_files.py").read_text(encoding="utf-8").strip(),
        "# @LOADERS@": loaders,
    }
    for mark, instead in marks.items():
        text = text.replace(mark, instead)
    return text


def _weights(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield where the weights of the original are now, and when each file was last changed.

    An export that took their names has kept them under others: the open files know.
    """
    for file in checkpoint.files:
        try:
            file.verify_unchanged()
        except CheckpointError as error:
            raise ExportError(
                f"The comparison script needs the original, which it cannot find: "
                f"{error.sentence.rstrip('.')}.",
                remedy="Export to another path, or keep a backup of the original.",
            ) from None
        yield f"    {str(file.path.absolute())!r}: {file.identity.mtime_ns},\n"


def transformers_class(checkpoint: Checkpoint) -> str:
    """Return the class of transformers that loads a model; empty where only its author knows."""
    configuration = configuration_of(checkpoint)
    # Code that comes with a model is not run by a script of ours.
    if configuration is None or len(configuration.architectures) != 1 or configuration.auto_map:
        return ""
    (name,) = configuration.architectures
    return name if name.isidentifier() and name.isascii() and not keyword.iskeyword(name) else ""


def _format_of(checkpoint: Checkpoint) -> Format:
    """Return the format whose files are loaded like the one that was opened."""
    if any(entry.mask_of for entry in checkpoint.entries.values()):
        return RESUMABLE
    if checkpoint.format in {ZIP.name, LEGACY.name}:
        return TORCH
    return COMPACT_FILE if checkpoint.format == COMPACT_FILE.name else SAFETENSORS


def write_check_script(checkpoint: Checkpoint, report: ExportReport, path: Path, job: Job) -> Path:
    """Write `check_script` to a file, and return its path.

    A script that is there and differs may have been filled in: it stays, and the new one goes to
    the next free name, ``NAME2.py`` and so on.
    """
    data = check_script(checkpoint, report).encode()
    target = check_file(unused_name(path, data)).path
    job.extend(2 * len(data))
    write_whole(target, data, job)
    return target
