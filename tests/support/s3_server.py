"""A server of S3 in a process of its own, until its standard input is closed."""

import mmap
import os
import sys
from typing import Any

# What is in parts here would be a large file else.
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "1"

from moto.s3.models import FakeKey
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer

_read, _get, _cut = FakeKey.value.fget, S3Response.get_object, S3Response._handle_range_header


def mapped(key: FakeKey) -> bytes | memoryview:
    """Map a large object into memory: moto reads all of it for each range that it is asked for."""
    if not key._value_buffer._rolled or not key.contentsize:  # it is in memory
        return _read(key)
    with key.lock:
        key._value_buffer.flush()
        return memoryview(mmap.mmap(key._value_buffer.fileno(), 0, access=mmap.ACCESS_READ))


def whole(response: S3Response) -> Any:
    """Answer with bytes, unless a part of them is taken later."""
    status, headers, content = _get(response)
    if isinstance(content, memoryview) and "range" not in response.headers:
        content = bytes(content)
    return status, headers, content


def ranged(response: S3Response, request: Any, headers: Any, content: Any) -> Any:
    """Answer with the bytes of a range."""
    status, headers, content = _cut(response, request, headers, content)
    return status, headers, bytes(content) if isinstance(content, memoryview) else content


FakeKey.value = property(mapped, FakeKey.value.fset)
S3Response.get_object, S3Response._handle_range_header = whole, ranged
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://{}:{}".format(*server.get_host_and_port()), flush=True)  # noqa: T201 - to the fixture
sys.stdin.read()
server.stop()
