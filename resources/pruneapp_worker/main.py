"""The worker: runs the user's evaluation script in the user's Python.

Needs Python 3.9 or newer, and torch unless the model is an ONNX model; no part of the pruneapp
package. Started as ``python -u main.py``; requests are JSON lines, see `pipe.py`. docs/measure.md
documents the contract with the script.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import sys
import time
import traceback
from pathlib import Path
from typing import Any

HERE = str(Path(__file__).resolve().parent)

# The keys in an error of `load_state_dict`, a group with the first three and one with the others.
_KEYS = re.compile(r'(key\(s\) in state_dict: "[^"]*", "[^"]*", "[^"]*")((?:, "[^"]*")+)')


def _first_keys(found: re.Match[str]) -> str:
    n_more = found[2].count(', "')
    return f"{found[1]} and {n_more} more"


def error_of(error: BaseException, script: str) -> dict[str, Any]:
    """Return a JSON description of an exception: its kind, and the traceback without own frames.

    `script` is the path whose line is named as its place. The message has at most 2,000 characters,
    the traceback its last 20,000; that of a `ContractError` is of its cause. Of the missing and the
    unexpected keys of a state dict, the message has the first three.
    """
    from pruneapp_worker.pipe import Cancelled, ContractError

    if isinstance(error, ContractError):
        cause = error.__cause__
        details = "" if cause is None else "".join(own_frames(cause))[-20000:]
        parts = {"sentence": error.sentence, "remedy": error.remedy, "traceback": details}
        return {"error": "contract", **parts}
    if isinstance(error, Cancelled):
        return {"error": "cancelled"}
    if isinstance(error, SystemExit):
        return {"error": "exit", "status": str(error.code)}
    text = "".join(own_frames(error))
    place = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == script:
            place = f"line {frame.lineno}"
    said = str(error)
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    out = getattr(torch, "OutOfMemoryError", getattr(cuda, "OutOfMemoryError", MemoryError))
    memory = isinstance(error, (MemoryError, out)) or "can't allocate memory" in said
    return {
        "error": "memory" if memory else "raised",
        "type": type(error).__name__,
        "message": _KEYS.sub(_first_keys, said)[:2000],
        "place": place,
        "traceback": text[-20000:],
    }


def own_frames(error: BaseException) -> list[str]:
    """Return the lines of a traceback and its causes, without the frames of the worker."""
    told = traceback.TracebackException.from_exception(error)
    todo, seen = [told], set()
    while todo:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            frames = [f for f in one.stack if not f.filename.startswith(HERE + os.sep)]
            one.stack = traceback.StackSummary.from_list(frames)
            todo += [other for other in (one.__cause__, one.__context__) if other is not None]
    return list(told.format())


def serve(pipe: Any, session: Any) -> None:
    """Answer requests, one at a time, until the application asks the worker to end.

    Errors of a request are sent as its answer. A forked child of the script ends here.
    """
    from pruneapp_worker.pipe import PID

    while True:
        request = pipe.requests.get()
        what = request.pop("do")
        pipe.current = request.pop("id")
        if what == "close":
            return
        try:
            pipe.check()
            reply = getattr(session, f"do_{what}")(**request)
        except BaseException as error:  # noqa: BLE001 - reported to the application
            reply = error_of(error, session.path)
            del error
        if os.getpid() != PID:  # a forked child of the script returned
            os._exit(0)
        pipe.interruptible = False
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # the script may have closed or replaced it
                stream.flush()
        pipe.send("error" if "error" in reply else "done", **reply)
        del reply, request


def main() -> None:
    """Send the interpreter's versions, or why it cannot be used, then answer requests."""
    began = time.monotonic()
    hello: dict[str, Any] = {"python": platform.python_version(), "executable": sys.executable}
    # Scripts must not import from the worker's folder.
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != HERE]
    sys.path.insert(0, str(Path(HERE).parent))
    from pruneapp_worker import pipe as pipes

    pipe = pipes.Pipe()
    first = pipe.start()
    if sys.version_info < (3, 9):  # noqa: UP036 - the user may choose any Python
        pipe.send("hello", **hello, problem="python")
        return
    try:
        import torch

        version = torch.__version__
    except BaseException as error:  # noqa: BLE001 - reported to the application
        version = ""
        if not (first.get("graph") and isinstance(error, ImportError)):
            pipe.send("hello", **hello, problem="torch", details=repr(error))
            return
    from pruneapp_worker import contract

    sys.path.pop(0)
    progress = pipes.Progress(pipe)
    pipes.watch_tqdm(progress)
    session = contract.Session(pipe, progress, first)
    pipe.send("hello", **hello, torch=version, seconds=time.monotonic() - began)
    serve(pipe, session)


if __name__ == "__main__":
    main()
