"""Giving new files their names, several as one, and the originals a new one."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from pruneapp.checkpoint.source import FileSource, Identity
from pruneapp.checkpoint.writer import AtomicFile
from pruneapp.export.target import keep_original
from pruneapp.progress import Job


def publish(files: Sequence[AtomicFile], opened: Sequence[FileSource], job: Job) -> list[Path]:
    """Commit sealed files; where one takes the place of an open source, keep the original.

    All or none: if one of them cannot be committed, those before it are taken back. (A process
    that is killed between two of several may leave old files beside new ones, each of them
    whole, with the originals kept.)

    Parameters
    ----------
    files
        Sealed, in the order in which they are to appear.
    opened
        The files of the checkpoint; those that are replaced go on from the kept original.

    Returns
    -------
    list of Path
        The originals that were kept.
    """
    kept: list[Path] = []
    spares: list[Path] = []
    with contextlib.ExitStack() as undo:
        for file in files:
            source = _source_at(file.target, opened)
            if source is not None:
                original = keep_original(file.target, job)
                undo.callback(_take_back, file, file.part, original, source, source.path)
                source.moved(original)
                kept.append(original)
            elif len(files) > 1:
                _make_revocable(file, undo, spares)
            file.commit()
        undo.pop_all()
    for spare in spares:
        with contextlib.suppress(OSError):
            spare.unlink()
    return kept


def _source_at(target: Path, opened: Sequence[FileSource]) -> FileSource | None:
    try:
        status = target.stat()
    except OSError:
        return None
    here = Identity.of(status)
    for source in opened:
        if (source.identity.device, source.identity.inode) == (here.device, here.inode):
            return source
    return None


def _make_revocable(file: AtomicFile, undo: contextlib.ExitStack, spares: list[Path]) -> None:
    """Give an older export in the place of `file` a second name, to put it back if need be."""
    spare = file.target.with_name(f".{secrets.token_hex(8)}.old")
    try:
        os.link(file.target, spare)
    except FileNotFoundError:
        undo.callback(_take_back, file, file.part, None, None, file.target)
    except (OSError, NotImplementedError):
        return  # no hard links here: this one file stays new, and whole
    else:
        undo.callback(_take_back, file, file.part, spare, None, file.target)
        spares.append(spare)


def _take_back(
    file: AtomicFile, part: Path | None, old: Path | None, source: FileSource | None, path: Path
) -> None:
    with contextlib.suppress(OSError):
        # The temporary file tells whether the new file has the name already: an interrupt may
        # come between the renaming and our taking note of it.
        renamed = part is None or not part.exists()
        if old is None:
            if renamed:
                file.target.unlink()
        elif renamed:
            os.replace(old, file.target)  # noqa: PTH105 - as in AtomicFile
        else:
            old.unlink()
        if source is not None:
            source.moved(path)
