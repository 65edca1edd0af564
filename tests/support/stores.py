"""An S3 server on this machine, and a bucket for each test."""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pruneapp.checkpoint.io import store
from pruneapp.checkpoint.io.store import StorePath
from tests.support.store_faults import Faults, proxy


@contextmanager
def served() -> Iterator[Any]:
    """Start an S3 server and a proxy for it."""
    script = Path(__file__).with_name("s3_server.py")
    # It reads a whole object for each range request, and allocating memory each time would take
    # most of its time.
    keep = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "4294967296"}
    with subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, **keep, "MALLOC_ARENA_MAX": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        url = process.stdout.readline().strip()
        host, port = url.removeprefix("http://").split(":")
        with proxy((host, int(port))) as server:
            yield server
        process.stdin.close()
        process.wait(10)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[Any]:
    """Start an S3 server and a proxy for it."""
    pytest.importorskip("s3fs")
    pytest.importorskip("moto")
    import botocore.loaders

    # Each session would parse the descriptions of S3 again, which takes 0.1 s.
    read = botocore.loaders.create_loader
    botocore.loaders.create_loader = functools.cache(read)
    with served() as server, closing(direct_client(server)) as server.client:
        server.connected = {}
        yield server
    botocore.loaders.create_loader = read


def direct_client(server: Any) -> Any:
    """Return a client of the server behind the proxy."""
    import botocore.session

    return botocore.session.get_session().create_client(
        "s3",
        "us-east-1",
        endpoint_url="http://{}:{}".format(*server.behind),
        aws_access_key_id="testing",
        aws_secret_access_key="SECRETSECRET",
    )


def environment(server: Any) -> dict[str, str]:
    """Return the environment variables for clients of a server."""
    host, port = server.server_address
    return {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "SECRETSECRET",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }


_NUMBERS = itertools.count()


class Bucket:
    """A bucket, accessed without the proxy."""

    def __init__(self, name: str, client: Any, faults: Faults) -> None:
        self.name = name
        self.faults = faults
        self.client = client
        self.client.create_bucket(Bucket=name)

    def path(self, key: str) -> StorePath:
        return StorePath(f"s3://{self.name}/{key}")

    def put(self, key: str, data: bytes) -> StorePath:
        self.client.put_object(Bucket=self.name, Key=key, Body=data)
        return self.path(key)

    def put_folder(self, folder: Path, key: str) -> StorePath:
        for file in folder.rglob("*"):
            if file.is_file():
                self.put(f"{key}/{file.relative_to(folder).as_posix()}", file.read_bytes())
        return self.path(key)

    def send_folder(self, folder: Path, key: str) -> None:
        """Upload files that are too large for memory."""
        for file in folder.iterdir():
            with file.open("rb") as body:
                self.client.put_object(Bucket=self.name, Key=f"{key}/{file.name}", Body=body)

    def remove(self, key: str) -> None:
        self.client.delete_object(Bucket=self.name, Key=key)

    def get(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def tags(self, start: str = "") -> dict[str, str]:
        """Return the ETag of each object whose key begins with `start`."""
        rows = self.client.list_objects_v2(Bucket=self.name, Prefix=start).get("Contents", ())
        return {row["Key"]: row["ETag"] for row in rows}

    def listed(self) -> list[str]:
        return [*self.tags()]

    def uploads(self) -> list[str]:
        rows = self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", ())
        return [row["Key"] for row in rows]


@pytest.fixture
def bucket(s3_server, monkeypatch) -> Bucket:
    """Provide an empty bucket behind a proxy without faults."""
    s3_server.faults = Faults()
    for name, value in environment(s3_server).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(store, "_stores", {})
    connect, connected = store._connect, s3_server.connected

    def connect_once(path: StorePath) -> store.Store:
        """Create a store with the connections of earlier tests: new ones take 0.2 s."""
        key = path.scheme, os.environ.get("AWS_ACCESS_KEY_ID")
        if key not in connected:
            connected[key] = connect(path)
        return type(connected[key])(connected[key].files)

    monkeypatch.setattr(store, "_connect", connect_once)
    return Bucket(f"bucket{next(_NUMBERS)}", s3_server.client, s3_server.faults)


@pytest.fixture
def memory_store(monkeypatch) -> Iterator[type[StorePath]]:
    """Provide the empty in-memory store of fsspec."""
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr(store, "_stores", {})
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield StorePath
    files.store.clear()
    files.pseudo_dirs[:] = [""]
