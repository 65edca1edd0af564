"""Giving new files their names, several as one, and the originals a new one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path

from pruneapp.checkpoint.io.atomic_file_writer import AtomicFile
from pruneapp.checkpoint.io.files import claim, hidden_name
from pruneapp.checkpoint.io.source import FileSource, let_go
from pruneapp.export.destination.target import keep_original
from pruneapp.progress import Job


def publish(
    files: Sequence[AtomicFile],
    opened: Sequence[FileSource],
    job: Job,
    also_keep: Collection[Path] = (),
) -> list[Path]:
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
    job
        May have to copy an original.
    also_keep
        Further files whose originals are kept: an index.

    Returns
    -------
    list of Path
        The originals that were kept.
    """
    kept: list[Path] = []
    spares: list[Path] = []
    with contextlib.ExitStack() as claims, contextlib.ExitStack() as undo:
        for file in files:
            was = _inode(file.target)
            source = next((s for s in opened if was == (s.identity.device, s.identity.inode)), None)
            if source is not None or (was is not None and file.target in also_keep):
                original = keep_original(file.target, job)
                path = source.path if source is not None else None
                undo.callback(_take_back, file.target, was, original, source, path)
                if source is not None:
                    source.moved(original)
                kept.append(original)
            elif len(files) > 1:
                spare = _spare(file.target, was, claims)
                if spare is not None or was is None:
                    undo.callback(_take_back, file.target, was, spare)
                if spare is not None:
                    spares.append(spare)
            file.commit()
        undo.pop_all()
        for spare in spares:
            with contextlib.suppress(OSError):
                spare.unlink()
    return kept


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _spare(target: Path, was: tuple[int, int] | None, claims: contextlib.ExitStack) -> Path | None:
    """Give an older export a second name, to put it back if need be; None if that cannot be.

    It is claimed until `claims` are closed: were this process killed, it would be abandoned.
    """
    if was is None:
        return None
    spare = target.with_name(hidden_name(target.name, "old"))
    try:
        os.link(target, spare)
    except OSError:
        return None  # no hard links here: this one file stays new, and whole
    with contextlib.suppress(OSError):
        fd = os.open(spare, os.O_RDONLY)
        claims.callback(let_go, fd)
        claim(fd)
    return spare


def _take_back(
    target: Path,
    was: tuple[int, int] | None,
    old: Path | None,
    source: FileSource | None = None,
    path: Path | None = None,
) -> None:
    # What lies there now tells whether the new file has the name already: an interrupt may come
    # between the renaming and our taking note of it.
    with contextlib.suppress(OSError):
        renamed = _inode(target) != was
        if renamed and old is not None:
            old.replace(target)
        elif renamed:
            target.unlink()
        elif old is not None:
            old.unlink()
        if source is not None and path is not None:
            source.moved(path)
