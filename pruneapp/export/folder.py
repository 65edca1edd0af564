"""Models of several files: shards, their index, and what lies beside them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pruneapp.checkpoint.abandoned import claim, partial_name
from pruneapp.checkpoint.pipeline import PIECE_BYTES
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.checkpoint.shards import blobs_of
from pruneapp.checkpoint.source import let_go
from pruneapp.checkpoint.writer import flush_folder, write_error
from pruneapp.errors import ExportError, words_of
from pruneapp.export.declaration import Format, Plan
from pruneapp.export.parts import renamed, shards
from pruneapp.export.state import State
from pruneapp.progress import Job

# What a program needs beside the weights: configuration, tokenizer, templates, licence. Never code.
_COMPANIONS = frozenset({".json", ".txt", ".model", ".jinja", ".md"})
_LARGEST_COMPANION = 64 << 20


def plan(state: State, form: Format, values: Mapping[str, Any], job: Job) -> dict[str, Plan]:
    """Plan every shard by the name of its file, and the index as the last."""
    plans = {named.name: form.plan(named.part, values, job) for named in shards(state, form)}
    index = state.checkpoint.contents.index
    if index is not None:
        nbytes = sum(entry.nbytes for entry in state.checkpoint.entries.values())
        data = _index(index, plans, nbytes)
        plans[renamed(index.name, form)] = Plan(len(data), lambda: iter((data,)), {})
    return plans


def plan_all(
    state: State, form: Format, values: Mapping[str, Any], target: Path, job: Job
) -> dict[str, Plan]:
    """Plan what is to be written into the folder `target`: shards, what lies beside, the index.

    The index comes last, and not at all where it is there already, byte for byte.
    """
    plans = plan(state, form, values, job)
    index = state.checkpoint.contents.index
    name = None if index is None else renamed(index.name, form)
    last = {} if name is None else {name: plans.pop(name)}
    if _is_home(state.checkpoint, target):
        if index is not None and last and name == index.name:
            data = b"".join(bytes(piece) for piece in last[name].pieces())
            with _reading(index):
                last = {} if data == index.read_bytes() else last
        return plans | last
    beside = companions(state.checkpoint, target)
    return plans | {n: copy_of(path) for n, path in beside.items() if n not in plans} | last


def _is_home(checkpoint: Checkpoint, target: Path) -> bool:
    return target.exists() and checkpoint.contents.shards[0].path.parent.samefile(target)


def _index(path: Path, plans: Mapping[str, Plan], nbytes: int) -> bytes:
    """Return the index of shards that hold `plans`; the old one where the bytes are as many."""
    try:
        text = path.read_bytes()
        old = json.loads(text)
    except (OSError, ValueError) as error:
        raise ExportError(
            f"'{path}', the index of the model, can no longer be read.",
            remedy="Put it back, then open the model again.",
            details=str(error),
        ) from None
    where = {name: file for file, plan in plans.items() for name in plan.names}
    total = sum(nbytes for plan in plans.values() for nbytes in plan.names.values())
    if old.get("weight_map") == where and total == nbytes:
        return text  # byte for byte
    # Names in the order of the old index, the new ones where the old one stood.
    metadata = {**old.get("metadata", {}), "total_size": total}
    new = {"metadata": metadata, "weight_map": where}
    return (json.dumps(new, indent=2, ensure_ascii=False) + "\n").encode()


def companions(checkpoint: Checkpoint, target: Path) -> dict[str, Path]:
    """Return the files beside the shards that a copy of the model needs, by name.

    Nothing that is in `target` already.

    Raises
    ------
    ExportError
        If the folder cannot be listed.
    """
    home = checkpoint.contents.shards[0].path.parent
    found = {}
    with _reading(home):
        beside = sorted(home.iterdir())
    for path in beside:
        wanted = path.suffix.lower() in _COMPANIONS or path.name.upper().startswith("LICENSE")
        if not wanted or path.name.startswith(".") or path.name.endswith(".index.json"):
            continue
        if _is_own(path, home) and not (target / path.name).exists():
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


def copy_of(path: Path) -> Plan:
    """Plan a copy of a small file; `ExportError` where it cannot be read."""
    with _reading(path):
        size = path.stat().st_size

    def pieces() -> Iterator[bytes | memoryview]:
        with _reading(path):
            data = path.read_bytes()  # at most `_LARGEST_COMPANION`
        for start in range(0, len(data), PIECE_BYTES):
            yield data[start : start + PIECE_BYTES]

    return Plan(size, pieces, {})


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"'{path}', which goes with the model, cannot be read: {words_of(error)}.",
            remedy="Ask for the right to read it, or move it out of the folder.",
            details=str(error),
        ) from error


def beside(plan: Plan, target: Path) -> tuple[dict[Path, Plan], tuple[str, ...]]:
    """Plan what a format writes beside the file `target`, and say what is there already.

    Nothing is replaced: another file of the name may be the person's own.
    """
    plans = {}
    notices = []
    for name, data in plan.beside.items():
        path = target.with_name(name)
        if not os.path.lexists(path):
            plans[path] = Plan(len(data), partial(iter, (data,)), {})
        elif not path.is_file() or path.read_bytes() != data:
            notices.append(f"'{path}' was there already, and was left as it was.")
    return plans, tuple(notices)


class Place:
    """A folder to write files into; a context manager.

    A folder that is there is written into. A new one is made under another name, and gets its own
    by `commit`: leaving the context without it removes everything.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._partial: Path | None = None
        self._claimed = contextlib.ExitStack()

    @property
    def path(self) -> Path:
        """Where to write the files."""
        return self._partial or self._target

    def __enter__(self) -> Self:
        if not self._target.exists():
            partial = self._target.with_name(partial_name(self._target.name))
            try:
                partial.mkdir()
            except OSError as error:
                raise write_error(self._target, error, 0) from error
            self._partial = partial
            with contextlib.suppress(OSError):  # Windows opens no folders
                fd = os.open(partial, os.O_RDONLY)
                self._claimed.callback(let_go, fd)
                claim(fd)
        return self

    def commit(self) -> None:
        """Give a new folder its name."""
        if self._partial is None:
            return
        flush_folder(self._partial)
        try:
            os.rename(self._partial, self._target)  # noqa: PTH104 - replaces nothing but emptiness
        except OSError as error:
            raise write_error(self._target, error, 0) from error
        self._partial = None
        flush_folder(self._target.parent)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._claimed:
            if self._partial is not None:
                with contextlib.suppress(OSError):
                    shutil.rmtree(self._partial)
