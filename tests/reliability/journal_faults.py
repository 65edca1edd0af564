"""Write a journal while every system call that writes fails in turn."""

from __future__ import annotations

import contextlib
import mmap
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from safetensors.numpy import save_file

from pruneapp.document.document import Capture, Document
from pruneapp.errors import PruneAppError, SessionError
from pruneapp.progress import Job
from pruneapp.sessions import history_codec
from pruneapp.sessions import journal as journal_module
from pruneapp.sessions.journal import Journal
from pruneapp.sessions.journal_reader import read_journal
from pruneapp.sessions.restore import reopen
from tests.reliability import export_process, exports
from tests.reliability.journal_kills import Work, actions_of, state_of
from tests.reliability.tally import Tally

# Its masks have several pieces, like those of a large model.
WORK = Work("faults", {"a.weight": (32, 32), "b.weight": (64, 32)}, large=True)
# With this seed states are deleted twice.
_SEED, _ACTIONS = 15, 12
_PIECE, _SMALL = 64, 16
ERRORS = {
    "openat": ("EACCES", "ENOSPC", "EMFILE"),
    "pwrite64": ("ENOSPC", "EIO"),
    "fdatasync": ("ENOSPC", "EIO"),
    "fsync": ("EIO",),
    "ftruncate": ("EIO",),
    "flock": ("ENOLCK",),
    "close": ("EIO",),
    "mkdir": ("EACCES", "ENOSPC"),
}
_MOST = 300


State = tuple[object, ...]
# Before the first action there is nothing to restore.
_NOTHING: State = ()


class _Said(msgspec.Struct):
    """The report of a child: messages, errors, and the number of the last action that was saved."""

    told: list[str] = []
    bad: list[str] = []
    kept: int = 0


class _Shared:
    """Memory shared by parent and child, because writing a file could be affected by the fault."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1 << 20)

    def put(self, said: _Said) -> None:
        text = msgspec.json.encode(said)
        self._memory[: len(text) + 1] = text + b"\0"

    def get(self) -> _Said:
        text = self._memory[:].partition(b"\0")[0]
        self._memory.close()
        return msgspec.json.decode(text, type=_Said) if text else _Said()


def inject(calls: Iterable[str]) -> dict[str, Tally]:
    """Return the outcomes for each call, failing at its first, second, ... invocation."""
    found: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="pruneapp-journals-") as name, _large_masks():
        folder = Path(name)
        rng = np.random.default_rng(7)
        arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in WORK.shapes.items()}
        save_file(arrays, folder / "model.safetensors")
        states = [_NOTHING, *(state_of(d) for d in _actions(folder))]
        for call in calls:
            tally = found[call] = Tally()
            for error in ERRORS[call]:
                for lasts in (False, True):
                    # The first opened file is the model.
                    for index in range(1 + (call == "openat"), _MOST):
                        if not _once(folder, states, call, error, index, lasts, tally):
                            break
    return found


@contextlib.contextmanager
def _large_masks() -> Iterator[None]:
    modules = (
        (history_codec, "PIECE", _PIECE),
        (journal_module, "AT_ONCE", 0),
        (journal_module, "_DELETED_AT_ONCE", 1),
        *((module, "SMALL", _SMALL) for module in (history_codec, journal_module)),
    )
    before = [(module, name, getattr(module, name)) for module, name, _ in modules]
    for module, name, value in modules:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def _actions(folder: Path) -> Iterator[Document]:
    return actions_of(WORK, folder / "model.safetensors", _SEED, _ACTIONS)


def _once(
    folder: Path, states: list[State], call: str, error: str, index: int, lasts: bool, tally: Tally
) -> bool:
    """Run once with a fault, or with one that persists; return whether the call was reached."""
    what = f"{call} {error} {index}{' and on' if lasts else ''}"
    place, log = folder / "journals", folder / "strace"
    shutil.rmtree(place, ignore_errors=True)
    shared = _Shared()
    faulty = [f"{call}:error={error}:when={index}{'+' if lasts else ''}"]
    child = export_process.fork(partial(_work, folder, states, shared, lasts))
    code, crash = exports.traced(child, faulty, log)
    said = shared.get()
    if not re.search(rf"\b{call}\b.*INJECTED", log.read_text()):
        return False
    tally.runs += 1
    tally.ends["a sentence" if said.told else "nothing to say"] += 1
    wrong = list(said.bad)
    if code != export_process.DONE:
        wrong.append(crash[-1500:])
    if len(set(said.told)) > 1 + lasts or any("Traceback" in each for each in said.told):
        wrong.append(f"it said {said.told}")
    wrong += _check_end(place, states, said.kept, lasts=lasts)
    tally.wrong += [f"{what}: {each}" for each in wrong]
    return True


def _work(folder: Path, states: list[State], shared: _Shared, lasts: bool) -> None:
    """Do actions one after another and save each, and check the journal after a fault."""
    journal = Journal(folder / "journals")
    said = _Said()
    for number, document in enumerate(_actions(folder), 1):
        capture = Capture.of(document)
        try:
            journal.keep(capture, {"action": number}, Job())
            said.kept = number
        except SessionError as error:
            said.told.append(str(error))
            if "computed again" in error.sentence:
                said.kept = number
            # a persisting fault would also affect reading
            if not lasts and journal.path is not None:
                copy = folder / "copy.journal"
                shutil.copyfile(journal.path, copy)
                said.bad += _check(copy, states[said.kept : number + 1])
        if number == _ACTIONS and not lasts:
            with contextlib.suppress(SessionError):  # the fault may occur only now
                journal.keep(capture, {}, Job())
            journal.keep(capture, {}, Job())
        shared.put(said)
    if journal.path is not None:  # its folder could be created
        journal.close()


def _check_end(place: Path, states: list[State], kept: int, *, lasts: bool) -> list[str]:
    files = sorted(place.iterdir()) if place.is_dir() else []
    paths = [path for path in files if path.suffix == journal_module.SUFFIX]
    if lasts and not paths and not (states[kept] and states[kept][0]):
        return []  # everything was undone when it was last saved
    if len(paths) != 1:
        return [f"there are {[path.name for path in files]}"]
    wrong = []
    if len(files) > 1 and not lasts:
        wrong.append(f"there are {[path.name for path in files]}")
    return wrong + _check(paths[0], states[kept if lasts else -1 :], whole=not lasts)


def _check(path: Path, states: list[State], *, whole: bool = False) -> list[str]:
    """Return the errors of a journal that should restore one of some states."""
    try:
        with read_journal(path, Job()) as found:
            document = reopen(found, Job())
            state = state_of(document)
            document.close()
            document.checkpoint.close()
            if whole and found.history.intents:
                return ["masks are not there in the end"]
    except PruneAppError as error:
        return [str(error)]
    if not document.history and _NOTHING in states:
        return []
    return [] if state in states else [f"there is another state: {state[:2]}"]
