"""Start workers of evaluations as forks of one process, which has imported torch and transformers.

The two imports take two and four seconds of processor time, and several hundred tests start a
worker. All else is as in a process of its own: a child of the process of the tests, in a session of
its own, that runs resources/pruneapp_worker/main.py. Workers with a stub of one of the two in
``PYTHONPATH``, and other programs, are started as they are.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

_SET_CHILD_SUBREAPER = 36  # of prctl
_IMPORTED = ("torch", "transformers")
_LARGEST = 1 << 17  # bytes of a request: the environment and the command


class WorkerPopen(subprocess.Popen):
    """Forks workers, and starts other programs as its base class does."""

    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest):
        words = [args] if isinstance(args, (str, bytes, os.PathLike)) else [str(a) for a in args]
        is_worker = words[0] == sys.executable and str(words[-1]).endswith(
            "pruneapp_worker/main.py"
        )
        if not is_worker or _has_stub((env or os.environ).get("PYTHONPATH", "")):
            super()._execute_child(
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest
            )
            return
        pipes = rest[3:9]  # reading and writing ends of standard input, output and error
        request = {"main": words[-1], "cwd": str(cwd), "env": {**env}}
        self.pid = _server.fork(request, (pipes[0], pipes[3], pipes[5]))
        self._child_created = True
        self._close_pipe_fds(*pipes)


def _has_stub(path: str) -> bool:
    """Return whether a folder of a PYTHONPATH has a stub of what the process has imported."""
    stubs = [Path(f, f"{name}.py") for f in path.split(os.pathsep) for name in _IMPORTED]
    return bool(path) and any(stub.exists() for stub in stubs)


class _Server:
    """The process that is forked, started when the first worker is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None

    def _start(self) -> socket.socket:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = there.fileno()
        process = subprocess.Popen(
            [sys.executable, "-u", "-X", "faulthandler", __file__, str(number)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Stubs of the first test must not be imported for all.
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": ""},
            pass_fds=[number],
            start_new_session=True,
        )
        there.close()

        def end() -> None:
            here.close()
            process.wait()

        atexit.register(end)
        return here

    def fork(self, request: dict[str, Any], streams: tuple[int, int, int]) -> int:
        """Return the id of a new child of this process."""
        with self._lock:
            if self._channel is None:
                self._channel = self._start()
            prctl = ctypes.CDLL(None).prctl
            # The fork becomes a child of this process when the process between them ends.
            prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            socket.send_fds(self._channel, [json.dumps(request).encode()], streams)
            pid = int(self._channel.recv(100))
            prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
            return pid


_server = _Server()


def _serve(channel: socket.socket) -> str:
    """Fork for each request; return the file to run, in the fork."""
    while True:
        data, streams, _, _ = socket.recv_fds(channel, _LARGEST, 3)
        if not data:
            os._exit(0)
        reading, writing = os.pipe()
        between = os.fork()
        if not between:
            if fork := os.fork():
                os.write(writing, str(fork).encode())
                os._exit(0)
            break
        for number in (*streams, writing):
            os.close(number)
        os.waitpid(between, 0)
        channel.send(os.read(reading, 100))
        os.close(reading)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    channel.detach()
    os.closerange(3, 1000)
    request = json.loads(data)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    main: str = request["main"]
    sys.argv[:] = [main]
    sys.path[:1] = [
        str(Path(main).parent),
        *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
    ]
    return main


if __name__ == "__main__":
    importlib.import_module("torch.utils.data")
    for name in ("AutoModelForCausalLM", "AutoTokenizer", "LlamaForCausalLM"):
        getattr(importlib.import_module("transformers"), name)  # imports its module
    gc.collect()
    gc.freeze()
    runpy.run_path(_serve(socket.socket(fileno=int(sys.argv[1]))), run_name="__main__")
