"""A proxy for an S3 server that simulates network faults."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Faults:
    """Faults to simulate, drawn from one seed."""

    errors: float = 0.0  # probability of a 500 response
    cuts: float = 0.0  # probability of closing the connection after half of the body
    short: float = 0.0  # probability of a truncated body with a consistent length
    delay: float = 0.0  # seconds before each response
    rotten: bool = False  # whether one bit of each range response is flipped
    seed: int = 1
    # Method, path, range and status of each request.
    requests: list[tuple[str, str, str, int]] = field(default_factory=list)
    most: int = 0  # maximum number of concurrent requests
    injected: int = 0

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.random = random.Random(self.seed)
        self.under_way = 0

    def drawn(self, share: float) -> bool:
        with self.lock:
            hit = self.random.random() < share
            self.injected += hit
            return hit

    def of(self, method: str, path: str = "") -> list[tuple[str, str, str, int]]:
        with self.lock:
            return [r for r in self.requests if r[0] == method and path in r[1]]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def do_any(self) -> None:
        faults = self.server.faults
        with faults.lock:
            faults.under_way += 1
            faults.most = max(faults.most, faults.under_way)
        try:
            self._serve(faults)
        except (ConnectionError, http.client.HTTPException):
            self.close_connection = True
        finally:
            with faults.lock:
                faults.under_way -= 1

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_any  # noqa: N815 - names of the base class

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _serve(self, faults: Faults) -> None:
        if "100-continue" in self.headers.get("Expect", ""):
            self.send_response_only(100)
            self.end_headers()
        body = self._body()
        time.sleep(faults.delay)
        if faults.drawn(faults.errors):
            self._note(500)
            self.send_response(500)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        connection = http.client.HTTPConnection(*self.server.behind, timeout=30)
        try:
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in {"connection", "transfer-encoding", "expect"}
            }
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        self._note(answer.status)
        is_range = answer.status == 206
        if is_range and faults.rotten:
            content = content[:-1] + bytes([content[-1] ^ 1])
        sent, length = content, len(content)
        if is_range and len(content) > 1:
            if faults.drawn(faults.cuts):
                sent = content[: len(content) // 2]
            elif faults.drawn(faults.short):
                sent = content[: len(content) // 2]
                length = len(sent)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"content-length", "connection", "transfer-encoding"}:
                self.send_header(name, value)
        if self.command == "HEAD":
            length = int(answer.getheader("Content-Length", "0"))
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)
        self.wfile.flush()
        if len(sent) < length and self.command != "HEAD":
            self.close_connection = True

    def _note(self, status: int) -> None:
        faults = self.server.faults
        with faults.lock:
            wanted = self.headers.get("Range", "")
            faults.requests.append((self.command, self.path, wanted, status))

    def log_message(self, *_: object) -> None:
        pass


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True
    behind: tuple[str, int]
    faults: Faults

    def handle_error(self, *_: object) -> None:
        pass  # the other side closed the connection


@contextmanager
def proxy(behind: tuple[str, int]) -> Iterator[_Proxy]:
    server = _Proxy(("127.0.0.1", 0), _Handler)
    server.behind, server.faults = behind, Faults()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
