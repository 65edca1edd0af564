"""Generate a script that compares a pruned model with its original."""

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
from pruneapp.export.report import ExportReport
from pruneapp.progress import Job


def check_script(checkpoint: Checkpoint, report: ExportReport) -> str:
    """Return a script that compares the outputs of the original and of an export.

    The script is complete if config.json names a class of transformers; otherwise the user fills in
    a function that creates the model. Raises `ExportError` if the original no longer exists, or one
    of both is in an object store.
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
        original = original.parent  # the path of an index file
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
    """Yield the current paths of the original weights and their modification times in ns.

    An export may have replaced the original files and kept them under other names. Raises
    `ExportError` if a file is missing or was changed.
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
    """Return the class of transformers that loads a model; "" if config.json names none.

    Also "" if it names several, or if the model brings its own code.
    """
    configuration = configuration_of(checkpoint)
    # Generated scripts never run code that comes with a model.
    if configuration is None or len(configuration.architectures) != 1 or configuration.auto_map:
        return ""
    (name,) = configuration.architectures
    return name if name.isidentifier() and name.isascii() and not keyword.iskeyword(name) else ""


def _format_of(checkpoint: Checkpoint) -> Format:
    """Return the format whose loading code also loads the opened file."""
    if any(entry.mask_of for entry in checkpoint.entries.values()):
        return RESUMABLE
    if checkpoint.format in {ZIP.name, LEGACY.name}:
        return TORCH
    return COMPACT_FILE if checkpoint.format == COMPACT_FILE.name else SAFETENSORS


def write_check_script(checkpoint: Checkpoint, report: ExportReport, path: Path, job: Job) -> Path:
    """Write `check_script` to a file. Return its path, which can differ from `path`.

    An existing script that differs is kept, because the user may have edited it; the new one then
    gets the next unused name (``NAME2.py``). Raises `ExportError` as `check_script` does, or if it
    cannot be written.
    """
    data = check_script(checkpoint, report).encode()
    target = check_file(unused_name(path, data)).path
    job.extend(2 * len(data))
    write_whole(target, data, job)
    return target
