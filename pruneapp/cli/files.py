"""Files that commands read and write. No output may replace an input."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.store import locate
from pruneapp.document.document import Document
from pruneapp.edits.existing_masks import open_document
from pruneapp.edits.zeros import TreatZeros
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.progress import Job


def open_model(path: str, state_dict: str | None, job: Job, stack: ExitStack) -> Document:
    """Open a checkpoint, with the masks in the file, until the stack ends.

    Raises what `open_checkpoint` and `open_document` raise.
    """
    checkpoint = stack.enter_context(open_checkpoint(path, state_dict=state_dict, job=job))
    document = open_document(checkpoint, job)
    stack.callback(document.close)
    return document


def output_path(output: str) -> Path:
    """Return the path of the output. Raises `ParameterError` for "-" (standard output)."""
    if output == "-":
        raise ParameterError(
            "'--output' must be a file: what was written is read back and compared, which a pipe "
            "cannot do (got '-')."
        )
    return locate(output)


def refuse_input(output: Path, option: str, inputs: Iterable[Path]) -> None:
    """Raise `ParameterError` if the output of an option is an input."""
    if any(is_same_file(output, other) for other in inputs):
        raise ParameterError(
            f"'{output}' is an input of this command, and {option} would replace it.",
            remedy="Choose another name.",
        )


def check_output_path(
    output: str, read: Iterable[str | None], checkpoint: Checkpoint, what: str, example: str
) -> Path:
    """Return the output path, which may exist.

    Raises `ParameterError` if it is one of the files in `read` (None is skipped) or of the
    checkpoint, a folder, or in a folder that does not exist. `what` and `example` are used in the
    error.
    """
    path = Path(output)
    inputs = (*(Path(name) for name in read if name), *(file.path for file in checkpoint.files))
    refuse_input(path, "--output", inputs)
    if path.is_dir() or not path.parent.is_dir():
        why = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise ParameterError(
            f"'{path}' {why}, so the {what} cannot be written there.",
            remedy=f"Name a file, such as {example}.",
        )
    return path


def is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths refer to the same file, existing or not."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # it does not exist yet, or is not a valid file name
        return resolved_path(one) == resolved_path(other)


def resolved_path(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or not a valid file name
        return path.absolute()


def treat_zeros(document: Document, job: Job) -> None:
    """Count the zeros of the file as pruned, in addition to its masks; without zeros do nothing.

    Commits an edit to the document.
    """
    entries = document.checkpoint.entries.values()
    names = tuple(e.name for e in entries if e.prunable and len(e.shape) > 1)
    # There are no zeros; masks alone define what is pruned.
    with suppress(SelectionError):
        document.commit(TreatZeros(names).propose(document.snapshot(), job))
