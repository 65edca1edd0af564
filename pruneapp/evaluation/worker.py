"""The worker seen from the application: requests, answers, and cancellation.

The other side is resources/pruneapp_worker, run by the Python that the user chose.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from pruneapp import json_codec, resources
from pruneapp.checkpoint.io.files import temporary_folder
from pruneapp.errors import JsonError, abridge_text
from pruneapp.evaluation.process import ChildProcess, EvaluationError
from pruneapp.evaluation.script import EvaluationScript, Options
from pruneapp.progress import Cancelled, Job

# Seconds from a cancellation to SIGINT, and to killing the process.
UNTIL_INTERRUPT = 2.0
UNTIL_KILL = 5.0
# Seconds without a message until the worker is reported as not responding; it sends a heartbeat
# every two.
SILENCE = 10.0
# Seconds for the interpreter to start, with torch imported from a slow disk.
START_LIMIT = 180.0
_LOOK = 0.02
_UNITS = 1000

# Receives the events of a request: JSON objects with the key ``what``.
EventCallback: TypeAlias = Callable[[dict[str, Any]], None]
# Threads of torch that wait for others must not occupy cores: where the window or another program
# uses a core too, small models otherwise take five times as long.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE"),
}


class Worker:
    """A process of the user's Python with a script in it, started once and used for many calls.

    After a failed call the worker is usable unless `runs` is False: then `start` creates a new
    process without a model.
    """

    def __init__(self, script: EvaluationScript, python: Path, options: Options) -> None:
        self.script = script
        self.python = python
        self.options = options
        self.hello: dict[str, Any] = {}
        self.functions: tuple[str, ...] = ()
        self.higher: dict[str, bool] | bool | None = None  # its HIGHER_IS_BETTER
        self.folder = Path()  # for transferred states, while there is a process
        self.kills_on_cancel = False  # whether cancellation kills the process immediately
        self._files = contextlib.ExitStack()  # removes the folder
        self._process: ChildProcess | None = None
        self._messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._token = ""
        self._number = 0
        self._heard = 0.0
        self._foreign = False
        self.on_event: EventCallback | None = None  # called in the thread of `call`

    @property
    def runs(self) -> bool:
        """Whether the process is running."""
        return self._process is not None and self._process.runs

    @property
    def pid(self) -> int:
        """The process id; 0 if there is no process."""
        return 0 if self._process is None else self._process.pid

    @property
    def log(self) -> str:
        """The last lines that the script printed."""
        return "" if self._process is None else self._process.log

    def start(self, job: Job) -> None:
        """Start the process and run the script's module; do nothing if it is running.

        Sets `hello`, `functions` and `higher`, and creates `folder`. Raises `EvaluationError` if
        the interpreter or the script cannot be used; then the process is ended.
        """
        if self.runs:
            return
        self.stop()
        main = resources.path("pruneapp_worker/main.py")
        # Without -P: the user's imports need the folder of the script.
        command = [str(self.python), "-u", "-X", "faulthandler", str(main)]
        self.folder = self._files.enter_context(temporary_folder())
        try:
            self._process = ChildProcess(command, self.script.path.parent, ENVIRONMENT, talks=True)
        except BaseException:
            self._files.close()
            raise
        self._token, self._number = secrets.token_hex(8), 0
        self._messages = queue.SimpleQueue()
        self._foreign = False
        threading.Thread(
            target=_receive,
            args=(self._process, self._messages, self._token),
            name="pruneapp-worker",
            daemon=True,
        ).start()
        self._heard = time.monotonic()
        self._send(
            token=self._token,
            script=str(self.script.path),
            sha256=self.script.sha256,
            device=self.options.device,
            limit=self.options.limit,
            inputs=_inputs(self.options),
            graph=self.options.graph,
            folder=str(self.folder),
        )
        try:
            self.hello = self._wait(job, "starting Python", limit=START_LIMIT)
            self._check_interpreter()
            answer = self.call("script", job, "reading the script")
        except BaseException:
            self.stop()
            raise
        self.functions = tuple(answer["functions"])
        self.higher = answer["higher"]

    def _check_interpreter(self) -> None:
        """Raise `EvaluationError` if Python is older than 3.9 or cannot import torch."""
        problem, version = self.hello.get("problem"), self.hello.get("python", "")
        if problem == "python":
            raise EvaluationError(
                f"'{self.python}' is Python {version}, but scripts need Python 3.9 or newer.",
                remedy="Choose another interpreter.",
            )
        if problem == "torch":
            raise EvaluationError(
                f"'{self.python}' (Python {version}) cannot import torch: "
                f"{self.hello.get('details', '')}.",
                remedy="Choose the interpreter of the environment in which your model runs, or "
                "install torch there.",
            )

    def call(self, what: str, job: Job, label: str, **more: Any) -> dict[str, Any]:
        """Send the request `what` with its arguments `more`, and return the answer.

        `job` shows progress, called `label`, and may cancel. The process must be running. Not for
        several threads.

        Raises
        ------
        EvaluationError
            If the script raises, ends the process, breaks the contract, or exceeds the time limit.
        Cancelled
            After the worker stopped, or was killed.
        """
        job.cancel.check()
        self._number += 1
        self._send(do=what, id=self._number, **more)
        return self._wait(job, label, limit=self.options.time_limit)

    def control(self, what: Literal["stop", "pause", "resume"]) -> None:
        """Let the running request end with its best result so far, pause, or go on.

        Has an effect on requests to recover and to train only. May be called by any thread.
        """
        if self.runs:
            self._send(do=what, id=self._number)

    def _send(self, **message: Any) -> None:
        assert self._process is not None
        with contextlib.suppress(OSError, ValueError):  # the process ended; `_wait` reports it
            self._process.input.write(json.dumps(message).encode() + b"\n")
            self._process.input.flush()

    def _wait(self, job: Job, label: str, limit: float | None = None) -> dict[str, Any]:
        """Return the answer to the latest request, for at most `limit` seconds; None for no limit.

        Raises what `call` raises. If cancelled or late, the worker is asked to stop, then
        interrupted, then killed: immediately if `kills_on_cancel`, or if Python is still starting.
        While it is silent, the label shows that it does not answer.
        """
        assert self._process is not None
        began = time.monotonic()
        asked: float | None = None  # time of the request to stop
        interrupted = late = False
        reached = 0
        with contextlib.suppress(Cancelled):
            job.start(_UNITS, label)
        while True:
            now = time.monotonic()
            late = late or (limit is not None and now - began > limit)
            if asked is None and (late or job.cancel.cancelled):
                asked = now
                self._send(do="cancel", id=self._number)
            if asked is not None and now - asked > UNTIL_INTERRUPT and not interrupted:
                interrupted = True
                self._process.interrupt()
            kills = self.kills_on_cancel or not self.hello  # while it starts, nothing is lost
            if asked is not None and (kills or now - asked > UNTIL_KILL):
                self.stop()
                raise self._timeout_error(limit) if late else Cancelled
            try:
                message = self._messages.get(timeout=_LOOK)
            except queue.Empty:
                silent = now - self._heard > SILENCE
                with contextlib.suppress(Cancelled):
                    job.step(0, f"{label}: does not answer" if silent else None)
                if not self._process.runs:
                    message = self._last_message()
                else:
                    continue
            self._heard = time.monotonic()
            if message is None:
                raise self._end_error()
            kind = message.get("kind")
            if kind == "foreign":
                self._foreign = True
            elif kind == "progress" and message["id"] == self._number:
                total = message["total"]
                done = int(_UNITS * min(1.0, message["done"] / total)) if total else reached
                words = f"{label}: {message['text']}" if message["text"] else label
                with contextlib.suppress(Cancelled):
                    job.step(max(0, done - reached), words)
                reached = max(reached, done)
            elif kind == "event" and message["id"] == self._number:
                if self.on_event is not None:
                    self.on_event(message["event"])
            elif kind in {"done", "error", "hello"} and message["id"] == self._number:
                if kind == "error":
                    raise self._timeout_error(limit) if late else self._error(message, label)
                if self._foreign:
                    self.stop()
                    raise EvaluationError(
                        f"'{self.script.name}' wrote into the pipe through which the worker "
                        "answers, so its answers cannot be trusted.",
                        remedy="Print to standard output only.",
                    )
                with contextlib.suppress(Cancelled):
                    job.step(_UNITS - reached)
                return message

    def _timeout_error(self, limit: float | None) -> EvaluationError:
        return EvaluationError(
            f"'{self.script.name}' took longer than the {limit:g} seconds that it was given.",
            remedy="Allow more time, or evaluate fewer samples.",
            details=self.log,
        )

    def _last_message(self) -> dict[str, Any] | None:
        """Return the last message before the process ended; children may keep its pipe open."""
        try:
            return self._messages.get(timeout=0.2)
        except queue.Empty:
            return None

    def _end_error(self) -> EvaluationError:
        """End the process, and return an error that states why it has ended."""
        assert self._process is not None
        process, ready = self._process, bool(self.hello)
        # The pipe may be closed shortly before the process ends.
        how, remedy = process.last_words(process.end(grace=2.0))
        self.stop()
        log = process.log
        if not ready:
            last = log.rpartition("\n")[2]
            more = f" ({last})" if last else ""
            return EvaluationError(
                f"'{self.python}' {how} before it was ready{more}.",
                remedy="Choose a Python interpreter, 3.9 or newer, with torch.",
                details=log,
            )
        return EvaluationError(
            f"The process of '{self.script.name}' {how}.", remedy=remedy, details=log
        )

    def _error(self, message: dict[str, Any], label: str) -> Exception:
        """Return the exception for an answer of the kind ``error``.

        `label` is what the worker was doing.
        """
        name = self.script.name
        traceback = message.get("traceback", "")
        match message["error"]:
            case "cancelled":
                return Cancelled()
            case "contract":
                return EvaluationError(
                    message["sentence"], remedy=message["remedy"], details=traceback
                )
            case "exit":
                return EvaluationError(
                    f"'{name}' called exit({message['status']}) instead of returning.",
                    remedy="Return from the function instead, or raise an exception.",
                    details=self.log,
                )
            case "memory":
                return EvaluationError(
                    f"'{name}' ran out of memory: {_first_line(message['message'])}.",
                    remedy="Use fewer samples or smaller batches, or a device with more memory.",
                    details=traceback,
                )
        place = f", {message['place']}," if message["place"] else ""
        line = _first_line(message["message"])
        reason = f": {line}" if line else ""
        return EvaluationError(
            f"'{name}'{place} raised {message['type']} while {label}{reason}.",
            remedy="Write an evaluation script for this model."
            if self.script.builtin
            else "Correct the script; the traceback shows where.",
            details=traceback,
        )

    def stop(self) -> None:
        """End the process, if there is one, and delete its files; its model is lost."""
        process, self._process = self._process, None
        self.hello = {}
        if process is not None:
            process.end()
        self._files.close()

    def close(self) -> None:
        """Ask the process to end, kill it after two seconds, and delete its files.

        May be called again; `start` creates a new process.
        """
        if self.runs:
            self._number += 1
            self._send(do="close", id=self._number)
            assert self._process is not None
            self._process.end(grace=2.0)
        self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _receive(
    process: ChildProcess, messages: queue.SimpleQueue[dict[str, Any] | None], token: str
) -> None:
    """Put the messages of a worker into a queue until its pipe is closed, then None.

    Runs in a thread. A line without `token` was written by the script: a message ``foreign`` is
    put.
    """
    with contextlib.suppress(OSError, ValueError):
        for line in process.output:
            if not line.strip():
                continue
            try:
                message = json_codec.load(line, constants=True)
                ours = isinstance(message, dict) and message.get("token") == token
            except JsonError:
                ours = False
            messages.put(message if ours else {"kind": "foreign"})
    messages.put(None)


def _inputs(options: Options) -> dict[str, Any]:
    """Return the additional arguments for functions of built-in scripts, as JSON; {} for others."""
    paths = {"text": options.text, "images": options.images}
    given: dict[str, Any] = {name: str(path.absolute()) for name, path in paths.items() if path}
    if options.classifier:
        given["classifier"] = options.classifier
    if options.seeded is not None:
        given["sizes"] = dict(options.seeded.sizes)
        given["ranges"] = {one.name: one.stop for one in options.seeded.ranges}
    return given


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = 2 if lines and lines[0].endswith(":") else 1  # torch: "Error(s) in loading …:"
    return abridge_text(" ".join(" ".join(lines[:first]).split())).rstrip(". ")
