"""The pipes between worker and application, progress reports, and cancellation.

Requests arrive on standard input, replies are sent on standard output. Both descriptors are
duplicated and replaced at once, so that output of the script goes to standard error, the log.
Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import threading
import time
from typing import Any

PID = os.getpid()
BEAT_SECONDS = 2.0
# Exit status if the script closed the pipe for replies.
PIPE_CLOSED = 74


class Cancelled(KeyboardInterrupt):
    """The user asked to stop; not caught by ``except Exception`` in a script."""


class ContractError(Exception):
    """The script violates the contract; has a sentence and a remedy."""

    def __init__(self, sentence: str, remedy: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.remedy = remedy


class Pipe:
    """Both directions of the protocol, on descriptors unknown to the script."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        self._lock = threading.Lock()
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        self.token = ""
        self.requests: queue.Queue[dict[str, Any]] = queue.Queue()
        self.current = 0  # number of the current request
        self._cancelled = 0  # number of the request to cancel
        self._stopped = 0  # number of the request to end with its best result
        self._running = threading.Event()  # not set while a request is paused
        self._running.set()
        self.interruptible = False
        self._folder = ""  # of the application; deleted by the worker if the application has ended
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Disconnect a forked child of the script: it must not answer or keep the pipes open."""
        # A forked child of the script must neither answer nor keep the pipes open.
        empty = os.open(os.devnull, os.O_RDWR)
        for number in (self._in.fileno(), self._out):
            with contextlib.suppress(OSError):
                os.dup2(empty, number)
        os.close(empty)
        self._lock = threading.Lock()
        self.interruptible = False

    def start(self) -> dict[str, Any]:
        """Read and return the first line; read everything after it in a thread.

        Also starts to send a heartbeat, and handles SIGINT. Main thread only.
        """
        first = json.loads(self._in.readline() or "{}")
        self.token, self._folder = first.get("token", ""), first.get("folder", "")
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()
        signal.signal(signal.SIGINT, self._on_interrupt)
        return first

    def _read(self) -> None:
        """Queue the requests, and record cancellations, stops and pauses.

        When the pipe closes, end the process group.
        """
        for line in self._in:
            request = json.loads(line)
            what = request["do"]
            if what == "cancel":
                self._cancelled = request["id"]
            elif what == "stop":
                self._stopped = request["id"]
            elif what == "pause":
                self._running.clear()
            if what in {"cancel", "stop", "resume"}:
                self._running.set()
            if what not in {"cancel", "stop", "pause", "resume"}:
                self.requests.put(request)
        end_group(self._folder)  # the application has ended

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT_SECONDS)
            self.send("beat")

    def _on_interrupt(self, _number: int, _frame: Any) -> None:
        if self.interruptible and os.getpid() == PID:
            self.interruptible = False
            raise Cancelled

    def check(self) -> None:
        """Raise `Cancelled` if the current request is cancelled."""
        if self._cancelled >= self.current > 0:
            raise Cancelled

    def is_stopped(self) -> bool:
        """Return whether the current request should end with the best result so far."""
        return self._stopped >= self.current > 0

    def wait_while_paused(self) -> None:
        """Return when the current request is not paused; raise `Cancelled` if it is cancelled."""
        self._running.wait()
        self.check()

    def send(self, kind: str, **more: Any) -> None:
        """Send a message as a line, after an empty line in case something else was written.

        Any thread may call this. If the pipe is closed, the process ends.
        """
        line = {"token": self.token, "kind": kind, "id": self.current, **more}
        # Lone surrogates in messages of a script cannot be encoded.
        data = json.dumps(line, ensure_ascii=False).encode(errors="replace")
        rest = memoryview(b"\n" + data + b"\n")
        try:
            with self._lock:
                while rest:
                    rest = rest[os.write(self._out, rest) :]
        except BrokenPipeError:
            end_group(self._folder)  # the application has ended
        except OSError:
            os._exit(PIPE_CLOSED)


def end_group(folder: str) -> None:
    """Delete a folder ("" for none), and kill this process with all of its descendants.

    Does not return.
    """
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(os.getpgid(0), signal.SIGKILL)
    os._exit(1)


class Progress:
    """The `progress` argument of scripts: call it with done and total, or with an iterable."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._last = 0.0
        self._bars: list[Any] = []

    def __call__(self, done: Any, total: Any = None, text: str = "") -> Any:
        """Report progress: ``progress(3, 10)``; or return an iterator that reports progress.

        Sends at most 20 messages per second, and raises `Cancelled` if the request is cancelled.
        """
        if hasattr(done, "__iter__") or hasattr(done, "__getitem__"):
            size = total
            if size is None:
                with contextlib.suppress(TypeError):
                    size = len(done)
            return self._through(done, size, text)
        self._pipe.check()
        now = time.monotonic()
        if now - self._last >= 0.05 or (total and done >= total):
            self._last = now
            self._pipe.send("progress", done=float(done), total=float(total or 0), text=str(text))
        return None

    def _through(self, items: Any, total: Any, text: str) -> Any:
        number = 0
        for number, item in enumerate(items):
            self(number, total, text)
            yield item
        self(number, total, text)

    def bar(self, bar: Any, done: float) -> None:
        """Report the outermost open tqdm bar, with `done` steps.

        For inner ones only check for cancellation.
        """
        if os.getpid() != PID or threading.current_thread() is not threading.main_thread():
            return
        if bar not in self._bars:
            self._bars.append(bar)
        if self._bars[0] is bar:
            self(done, bar.total, getattr(bar, "desc", ""))
        else:
            self._pipe.check()

    def closed(self, bar: Any) -> None:
        """Remove a bar."""
        self._bars = [one for one in self._bars if one is not bar]

    def reset(self) -> None:
        """Remove all bars: another evaluation begins."""
        self._bars = []
        self._last = 0.0


def watch_tqdm(progress: Progress) -> None:
    """Make tqdm loops report progress, including disabled ones; replaces methods of its class.

    Does nothing without tqdm.
    """
    try:
        from tqdm.std import tqdm
    except ImportError:
        return
    update, iterate, close = tqdm.update, tqdm.__iter__, tqdm.close

    def watched_update(self: Any, n: float = 1) -> Any:
        result = update(self, n)
        progress.bar(self, getattr(self, "n", n))
        return result

    def watched_iter(self: Any) -> Any:
        number = 0
        for number, item in enumerate(iterate(self)):
            progress.bar(self, number)
            yield item
        progress.bar(self, number)
        progress.closed(self)

    def watched_close(self: Any) -> Any:
        progress.closed(self)
        return close(self)

    tqdm.update, tqdm.__iter__, tqdm.close = watched_update, watched_iter, watched_close
