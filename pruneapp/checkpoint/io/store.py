"""Objects in stores (S3, Google Cloud, Azure, Hugging Face), with URLs as paths.

A `StorePath` is a `pathlib.Path`, so code that accesses files by its methods works with objects as
well. Only this module uses fsspec, which is imported at the first access to a store. Its backends
find the credentials; Pruneapp never accesses them.

A command accesses the same objects many times (is it a folder, which files are next to it), so
folder listings are cached for `_CACHE_SECONDS` seconds. Correctness does not depend on the cache:
readers let the store check the tag of the object at each request, and writers let it check before
replacing.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import random
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from io import BufferedReader, RawIOBase
from itertools import count
from pathlib import Path, PosixPath
from queue import PriorityQueue
from typing import Any, TypeVar

from pruneapp.errors import CheckpointError, ExportError, ParameterError

T = TypeVar("T")

# The required package for each scheme, and the command to install it.
_CLOUD = 'pip install "pruneapp[cloud]"'
_PACKAGES = {
    "s3": ("s3fs", _CLOUD),
    "gs": ("gcsfs", "pip install gcsfs"),
    "gcs": ("gcsfs", "pip install gcsfs"),
    "az": ("adlfs", "pip install adlfs"),
    "abfs": ("adlfs", "pip install adlfs"),
    "abfss": ("adlfs", "pip install adlfs"),
    "hf": ("huggingface_hub", f"{_CLOUD} huggingface_hub"),
    "memory": ("fsspec", _CLOUD),  # in the process itself, for tests
}
_READ_ONLY = frozenset({"hf"})
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_CACHE_SECONDS = 2.0
# Seconds before each retry. Each is shortened at random, so that many readers of a busy store do
# not retry at the same time.
_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0)
# Maximum number of parallel requests of all sources and uploads.
_REQUESTS = 16
_BUFFER_BYTES = 8 << 20
_PAGE_SIZE = 1000
_LISTINGS = 64


class ChangedError(OSError):
    """An object was replaced or removed since it was opened."""


class StorePath(PosixPath):
    """The URL of an object, or of a folder of objects, as a path."""

    def __new__(cls, *parts: str | os.PathLike[str]) -> StorePath:
        # `PosixPath` cannot be instantiated on Windows, where URLs are the same.
        before_312 = getattr(cls, "_from_parts", None)
        made: StorePath = object.__new__(cls) if before_312 is None else before_312(parts)
        return made

    @property
    def scheme(self) -> str:
        """The scheme of the URL, such as ``s3``."""
        return self.parts[0].removesuffix(":")

    def __str__(self) -> str:
        scheme, *names = self.parts
        return f"{scheme}//{'/'.join(names)}"

    def __fspath__(self) -> str:
        # Otherwise `open` and others would access a file of this name in the working directory.
        raise TypeError(f"'{self}' is not a file of this machine")

    def as_posix(self) -> str:
        return str(self)

    def as_uri(self) -> str:
        return str(self)

    def relative_to(  # type: ignore[override]  # the result is no URL
        self, *other: str | os.PathLike[str], **_: Any
    ) -> Path:
        """Return the relative path from another path, which is not a URL."""
        return Path(*super().relative_to(*other).parts)

    def is_absolute(self) -> bool:
        return True

    def absolute(self) -> StorePath:
        return self

    def resolve(self, strict: bool = False) -> StorePath:
        return self  # there are no links

    def expanduser(self) -> StorePath:
        return self

    def is_symlink(self) -> bool:
        return False

    def samefile(self, other_path: str | os.PathLike[str]) -> bool:
        return self == other_path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return the metadata of the object as a stat result of a file."""
        return self.look_up().status(self)

    def lstat(self) -> os.stat_result:
        return self.stat()

    def look_up(self, *, now: bool = False) -> ObjectInfo:
        """Return the metadata (cached unless `now`). Raises `FileNotFoundError` without any."""
        found = store_of(self).look_up(self, now=now)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        return found

    def _is(self, *, folder: bool) -> bool:
        found = store_of(self).look_up(self)
        return found is not None and found.is_folder == folder

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        return store_of(self).look_up(self) is not None

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(folder=True)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(folder=False)

    def iterdir(self) -> Iterator[StorePath]:  # type: ignore[override]  # not a generator
        entries = store_of(self).entries(self)
        if not entries and not self.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        return iter([self / name for name in entries])

    def glob(  # type: ignore[override]  # not a generator
        self, pattern: str, **_: Any
    ) -> Iterator[StorePath]:
        """Yield the paths directly in the folder whose names match `pattern`."""
        return (path for path in self.iterdir() if fnmatchcase(path.name, pattern))

    def read_bytes(self) -> bytes:
        """Return the content of a small object."""
        found = self.look_up()
        return store_of(self).read(self, 0, found.size, found)

    def open(  # type: ignore[override]  # supports only reading bytes
        self, mode: str = "rb", *_: Any, **__: Any
    ) -> BufferedReader:
        """Open the object for sequential reading."""
        if mode != "rb":
            raise OSError(errno.EROFS, "objects are not opened to be written", str(self))
        return BufferedReader(_ObjectReader(self), _BUFFER_BYTES)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def unlink(self, missing_ok: bool = False) -> None:
        try:
            store_of(self).delete(self)
        except FileNotFoundError:
            if not missing_ok:
                raise


def is_store(path: Path) -> bool:
    """Return whether a path is the URL of an object, or of a folder of objects, in a store."""
    return isinstance(path, StorePath)


def locate(text: str | Path) -> Path:
    """Return the path for a text of the user: a file path or an object URL. Accesses nothing.

    A `Path` is returned unchanged. Raises `ParameterError` if the text is a URL with an unknown
    scheme, without a bucket, or with ':' or '?' as in one with a password; the message does not
    repeat the text in the last case.
    """
    if isinstance(text, Path):
        return text
    found = _URL.fullmatch(text)
    if found is None:
        return Path(text)
    scheme, rest = found[1].lower(), found[2]
    place = rest.partition("/")[0]
    if ":" in place or "?" in rest:
        raise ParameterError(
            f"The URL of an object must not contain ':' or '?' (got one that begins with "
            f"'{scheme}://').",
            remedy="Passwords, keys and tokens do not belong in a URL: put them where the tools "
            "of the store look for them, such as AWS_PROFILE, or ~/.aws/credentials.",
        )
    if scheme not in _PACKAGES:
        raise ParameterError(
            f"Pruneapp opens files, and URLs that begin with s3://, gs://, az:// or hf:// (got "
            f"'{scheme}://').",
            remedy="Download it first, then open the file.",
        )
    if not place:
        raise ParameterError(f"'{text}' names no object.", remedy=f"Write {scheme}://BUCKET/NAME.")
    return StorePath(f"{scheme}:/{rest}")


class _ObjectReader(RawIOBase):
    """A raw stream that reads an object sequentially."""

    def __init__(self, path: StorePath) -> None:
        self._path = path
        self._info = path.look_up(now=True)
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._next(len(view))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:  # the base class reads small pieces
        return self._next(self._info.size)

    def _next(self, size: int) -> bytes:
        start, self._at = self._at, min(self._at + size, self._info.size)
        return store_of(self._path).read(self._path, start, self._at, self._info)


@dataclass(frozen=True)
class ObjectInfo:
    """The metadata of an object or folder in a store."""

    size: int
    tag: str  # changes whenever the content changes; empty for a folder
    seconds: float = 0.0  # time of the last change, in seconds since the epoch
    is_folder: bool = False

    def status(self, path: StorePath) -> os.stat_result:
        """Return the metadata as a stat result of the object at `path`.

        The inode number is a hash of the path. Stores have times with a resolution of a second. The
        nanoseconds are derived from the tag, so that two versions of the same second differ.
        """
        number = int.from_bytes(hashlib.sha256(str(path).encode()).digest()[:7], "little")
        fine = int.from_bytes(hashlib.sha256(self.tag.encode()).digest()[:4], "little")
        second = int(self.seconds)
        kind = stat.S_IFDIR if self.is_folder else stat.S_IFREG
        times = {f"st_{kind}time_ns": second * 10**9 + fine % 10**9 for kind in "amc"}
        fields = (kind | 0o644, number, _DEVICE, 1, 0, 0, self.size, second, second, second)
        return os.stat_result(fields, times)


# The device number of stat results; larger than that of any real device.
_DEVICE = 0x70727573746F7265


class Pool:
    """Threads for requests, with priority over read-ahead for requests that a caller waits for.

    They are daemon threads: the program can end while requests are in progress.
    """

    def __init__(self) -> None:
        """Create a pool without threads; they are started by `submit`."""
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0
        self._numbers = count()
        self._queue: PriorityQueue[tuple[int, int, Future[Any], Callable[[], Any]]] = (
            PriorityQueue()
        )

    def submit(self, call: Callable[[], T], *, ahead: bool = False) -> Future[T]:
        """Call a function in a thread, in the order of the calls; return the future of its result.

        Functions submitted with `ahead` are called after all others that are queued. At most 16
        threads are started, when they are needed; they stay until the program ends.
        """
        future: Future[T] = Future()
        with self._lock:
            self._queue.put((int(ahead), next(self._numbers), future, call))
            if not self._idle and self._threads < _REQUESTS:
                self._threads += 1
                threading.Thread(target=self._serve, name="pruneapp-store", daemon=True).start()
        return future

    def _serve(self) -> None:
        """Run submitted functions forever; the target of a thread. Errors go into the futures."""
        while True:
            with self._lock:
                self._idle += 1
            _, _, future, call = self._queue.get()
            with self._lock:
                self._idle -= 1
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - raised by `Future.result`
                future.set_exception(error)
            del future, call  # otherwise an idle thread would keep the source alive


POOL = Pool()


class Store:
    """A store, accessed by functions that all backends of fsspec have."""

    def __init__(self, files: Any) -> None:
        self.files = files
        self._lock = threading.Lock()
        self._listings: dict[StorePath, tuple[float, Mapping[str, ObjectInfo]]] = {}

    # -- metadata ---------------------------------------------------------------------------------

    def look_up(self, path: StorePath, *, now: bool = False) -> ObjectInfo | None:
        """Return the metadata of an object or folder, None if there is neither.

        A listing of the last 2 seconds is used unless `now`. Raises `OSError`.
        """
        if not now:
            if path in self._cached_listings():
                return ObjectInfo(0, "", is_folder=True)
            siblings = self._cached_listings().get(path.parent)
            if siblings is not None:
                return siblings.get(path.name)
        found = self.call_with_retries(path, lambda: self.find(path))
        if found is None and self.entries(path):
            return ObjectInfo(0, "", is_folder=True)
        return found

    def entries(self, path: StorePath) -> Mapping[str, ObjectInfo]:
        """Return the metadata of the entries of a folder, sorted by name.

        Empty if it does not exist. A listing that is not empty is cached for `_CACHE_SECONDS`.
        Raises `OSError`.
        """
        known = self._cached_listings().get(path)
        if known is not None:
            return known
        found = self.call_with_retries(path, lambda: self.list(path))
        entries = dict(sorted(found.items()))
        if entries:
            with self._lock:
                while len(self._listings) >= _LISTINGS:
                    self._listings.pop(next(iter(self._listings)))
                self._listings[path] = time.monotonic(), entries
        return entries

    def _cached_listings(self) -> dict[StorePath, Mapping[str, ObjectInfo]]:
        since = time.monotonic() - _CACHE_SECONDS
        with self._lock:
            return {path: known for path, (when, known) in self._listings.items() if when > since}

    def clear_cache(self) -> None:
        """Clear the cache, because an object was changed."""
        with self._lock:
            self._listings.clear()

    # -- requests to a backend, without retries ---------------------------------------------------

    def find(self, path: StorePath) -> ObjectInfo | None:
        """Return the metadata of an object; folders may not be found."""
        try:
            return _parse_info(self.files.info(str(path), refresh=True))
        except FileNotFoundError:
            return None

    def list(self, path: StorePath) -> dict[str, ObjectInfo]:
        """Return the metadata of the entries of a folder, by name; empty if it is no folder."""
        try:
            rows = self.files.ls(str(path), detail=True, refresh=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        named = {row["name"].rstrip("/").rpartition("/")[2]: _parse_info(row) for row in rows}
        named.pop("", None)
        if len(rows) == 1 and named.keys() == {path.name} and not named[path.name].is_folder:
            return {}  # the object itself
        return named

    def fetch(self, path: StorePath, start: int, stop: int, version: ObjectInfo) -> bytes:
        """Return the bytes `start` to `stop` (exclusive) of the opened `version` of an object.

        Raises `ChangedError` if the object has another tag or size after reading. Fewer bytes may
        be returned. Not retried.
        """
        data: bytes = self.files.cat_file(str(path), start=start, end=stop)
        now = self.find(path)
        if now is None or (now.tag, now.size) != (version.tag, version.size):
            raise ChangedError(errno.ESTALE, "it was replaced")
        return data

    def remove(self, path: StorePath) -> None:
        """Delete an object."""
        self.files.rm_file(str(path))

    def is_temporary(self, error: Exception) -> bool:
        """Return whether an error may be temporary, so that the request should be retried.

        True for errors of the connection; False for missing objects, permissions and changed
        objects.
        """
        lasting = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError)
        if isinstance(error, (ChangedError, NotADirectoryError, *lasting)):
            return False
        if isinstance(error, (OSError, TimeoutError, EOFError)):
            return True
        # Errors of the libraries that backends of fsspec use for HTTP.
        return type(error).__module__.partition(".")[0] in {"aiohttp", "urllib3", "http"}

    # -- requests with retries --------------------------------------------------------------------

    def read(self, path: StorePath, start: int, stop: int, version: ObjectInfo) -> bytes:
        """Return the bytes `start` to `stop` (exclusive) of the opened `version` of an object.

        An empty range sends no request. Temporary errors are retried, also if fewer bytes arrive.
        Raises `ChangedError` if the object was replaced or removed, else `OSError`.
        """
        if stop <= start:
            return b""

        def fetch() -> bytes:
            data = self.fetch(path, start, stop, version)
            if len(data) != stop - start:
                raise EOFError(f"only {len(data):,} of {stop - start:,} bytes")
            return data

        return self.call_with_retries(path, fetch)

    def delete(self, path: StorePath) -> None:
        """Delete an object."""
        self.clear_cache()
        self.call_with_retries(path, lambda: self.remove(path))
        self.clear_cache()

    def call_with_retries(self, path: StorePath, request: Callable[[], T]) -> T:
        """Call `request` and return its result, with retries after temporary errors.

        Raises
        ------
        OSError
            With the reason, like a file operation.
        """
        waits = iter(_WAITS)
        while True:
            try:
                return request()
            except Exception as error:  # of any library that a backend uses; see `translate_error`
                wait = next(waits, None)
                if wait is None or not self.is_temporary(error):
                    translated = self.translate_error(error, path)
                    if translated is error:
                        raise
                    raise translated from error
                # This never blocks a window: stores are accessed in other threads.
                time.sleep(wait * random.uniform(0.5, 1))  # noqa: S311 - no secret

    def translate_error(self, error: Exception, path: StorePath) -> Exception:
        """Return the `OSError` for an error of a backend. Nothing is raised.

        Kinds of `OSError` other than missing, existing and forbidden become EIO. Unexpected errors
        are returned unchanged.
        """
        if isinstance(error, ChangedError):
            return error
        if isinstance(error, OSError):
            number = error.errno or _NUMBERS.get(type(error), errno.EIO)
            words = error.strerror or str(error) or os.strerror(number)
            return (
                type(error)(number, words, str(path))
                if _has_errno(error)
                else _io_error(words, path)
            )
        if isinstance(error, (TimeoutError, EOFError)) or self.is_temporary(error):
            return _io_error(f"the store does not answer ({type(error).__name__})", path)
        return error


_NUMBERS: dict[type[OSError], int] = {
    PermissionError: errno.EACCES,
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
}


def _has_errno(error: OSError) -> bool:
    return type(error) in _NUMBERS


def _io_error(words: str, path: StorePath) -> OSError:
    return OSError(errno.EIO, words, str(path))


_TAGS = ("ETag", "etag", "generation", "blob_id", "version_id", "md5Hash", "content_md5")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "modified", "created")


def _parse_info(row: Mapping[str, Any]) -> ObjectInfo:
    """Convert the metadata of an object from fsspec, whose backends use different keys.

    Without any tag, the time of the last change serves as one. Invalid times become 0.
    """
    if row.get("type") == "directory":
        return ObjectInfo(0, "", is_folder=True)
    when = next((row[name] for name in _TIMES if row.get(name)), 0)
    if isinstance(when, str):
        with contextlib.suppress(ValueError):
            when = datetime.fromisoformat(when)
    seconds = when.timestamp() if isinstance(when, datetime) else when
    seconds = seconds if isinstance(seconds, (int, float)) else 0
    tag = " ".join(str(row[name]) for name in _TAGS if row.get(name))
    return ObjectInfo(int(row.get("size") or 0), tag or f"{seconds}", seconds)


class S3Store(Store):
    """A bucket of S3, or of a store with the same protocol."""

    def find(self, path: StorePath) -> ObjectInfo | None:
        """Return the metadata of an object; None for a bucket, a folder or a missing object."""
        _, key = split(path)
        if not key:
            return None
        try:
            head = self.call("head_object", path)
        except FileNotFoundError:
            return None
        when = head.get("LastModified")
        return ObjectInfo(
            head["ContentLength"], head.get("ETag", ""), when.timestamp() if when else 0
        )

    def list(self, path: StorePath) -> dict[str, ObjectInfo]:
        """Return the metadata of the entries of a folder, by name; empty if there are none."""
        bucket, key = split(path)
        prefix = f"{key}/" if key else ""
        found: dict[str, ObjectInfo] = {}
        more: dict[str, str] = {}
        while True:
            page = self.call(
                "list_objects_v2", None, Bucket=bucket, Prefix=prefix, Delimiter="/",
                MaxKeys=_PAGE_SIZE, **more,
            )  # fmt: skip
            for row in page.get("Contents", ()):
                if name := row["Key"].removeprefix(prefix):
                    when = row["LastModified"].timestamp()
                    found[name] = ObjectInfo(row["Size"], row.get("ETag", ""), when)
            for row in page.get("CommonPrefixes", ()):
                name = row["Prefix"].removeprefix(prefix).rstrip("/")
                if name:
                    found[name] = ObjectInfo(0, "", is_folder=True)
            if not page.get("IsTruncated"):
                return found
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def fetch(self, path: StorePath, start: int, stop: int, version: ObjectInfo) -> bytes:
        """Return the bytes `start` to `stop` (exclusive) of the opened `version` of an object.

        The store checks the version in the same request. Raises `ChangedError` if the object was
        replaced or removed.
        """
        bucket, key = split(path)

        async def get() -> bytes:
            answer = await self.files._call_s3(  # noqa: SLF001 - the public one reads no body
                "get_object", Bucket=bucket, Key=key, Range=f"bytes={start}-{stop - 1}",
                IfMatch=version.tag, **self.files.req_kw,
            )  # fmt: skip
            async with answer["Body"] as body:
                data: bytes = await body.read()
                return data

        try:
            data: bytes = self._run(get)
        except FileNotFoundError:
            raise ChangedError(errno.ENOENT, "it no longer exists") from None
        except OSError as error:
            if status_of(error) in {412, 416}:
                raise ChangedError(errno.ESTALE, "it was replaced") from None
            raise
        return data

    def remove(self, path: StorePath) -> None:
        self.call("delete_object", path)

    def call(self, method: str, path: StorePath | None, **values: Any) -> Any:
        """Send a single request of the S3 protocol and return its parsed response.

        `method` is the name of the operation in snake case. `Bucket` and `Key` are added for the
        object at `path` unless it is None. Not retried.
        """
        if path is not None:
            values["Bucket"], values["Key"] = split(path)

        async def call() -> Any:
            # The internal call of s3fs uses its session and translates its errors.
            return await self.files._call_s3(method, **values)  # noqa: SLF001 - none is public

        return self._run(call)

    def _run(self, coroutine: Callable[[], Any]) -> Any:
        from fsspec.asyn import sync

        return sync(self.files.loop, coroutine)

    def is_temporary(self, error: Exception) -> bool:
        """Return whether to retry after an error, by the HTTP status if the store has responded."""
        status = status_of(error)
        if status:
            return status in {408, 409, 429} or status >= 500
        from botocore.exceptions import FlexibleChecksumError, HTTPClientError

        answers = isinstance(error, (FlexibleChecksumError, HTTPClientError))
        return answers or super().is_temporary(error)

    def translate_error(self, error: Exception, path: StorePath) -> Exception:
        """Return the `OSError` for an error; `CheckpointError` if no credentials were found.

        Nothing is raised. Other errors are translated like those of `Store.translate_error`.
        """
        from botocore.exceptions import (
            BotoCoreError,
            FlexibleChecksumError,
            NoCredentialsError,
            PartialCredentialsError,
        )

        if isinstance(error, (NoCredentialsError, PartialCredentialsError)):
            return CheckpointError(
                f"'{path}' cannot be reached: no credentials were found.",
                remedy="Put them where the tools of AWS look for them (`aws configure`, "
                "AWS_PROFILE); for a public bucket, set FSSPEC_S3_ANON=true.",
            )
        if isinstance(error, FlexibleChecksumError):
            return _io_error("what the store sends does not match its checksum", path)
        if isinstance(error, BotoCoreError):
            # The text of the error may contain the signature of a request.
            return _io_error(f"the store does not answer ({type(error).__name__})", path)
        return super().translate_error(error, path)


def split(path: StorePath) -> tuple[str, str]:
    """Return the bucket and key of an object."""
    _, bucket, *names = path.parts
    return bucket, "/".join(names)


def status_of(error: BaseException) -> int:
    """Return the HTTP status of the S3 response that caused an error; 0 without a response.

    Considers the error itself and its causes (``raise … from``).
    """
    cause: BaseException | None = error
    while cause is not None:
        response = getattr(cause, "response", None)
        if isinstance(response, dict):
            return int(response.get("ResponseMetadata", {}).get("HTTPStatusCode") or 0)
        cause = cause.__cause__
    return 0


_stores: dict[tuple[str, ...], Store] = {}
_stores_lock = threading.Lock()


def store_of(path: StorePath) -> Store:
    """Return the store of a path, one object per scheme and bucket.

    It connects at the first request. Raises `CheckpointError` if a required package is missing.
    """
    place = path.parts[:2]
    with _stores_lock:
        store = _stores.get(place)
        if store is None:
            store = _stores[place] = _connect(path)
    return store


def _connect(path: StorePath) -> Store:
    """Create the store of a path without sending a request.

    Retries and caches of the backend are disabled. Raises `CheckpointError` if the package of the
    backend is missing.
    """
    package, install = _PACKAGES[path.scheme]
    root = StorePath(*path.parts[:2])
    # The cache of fsspec is disabled, because its listings do not expire.
    options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    try:
        from fsspec.config import conf
        from fsspec.core import url_to_fs

        if path.scheme == "s3":
            # `Store.call_with_retries` retries; other settings of the user are preserved.
            options["config_kwargs"] = {
                "max_pool_connections": 2 * _REQUESTS,
                "retries": {"total_max_attempts": 1, "mode": "standard"},
                **conf.get("s3", {}).get("config_kwargs", {}),
            }
        files, _ = url_to_fs(str(root), **options)
    except ImportError as error:
        raise CheckpointError(
            f"'{path}' is in a store, and the package {package}, which reaches it, cannot be "
            "imported.",
            remedy=f"Install it: {install}",
            details=str(error),
        ) from None
    if path.scheme != "s3":
        return Store(files)
    files.retries = 1  # disables the retries of s3fs
    return S3Store(files)


def refuse_read_only(path: StorePath) -> None:
    """Raise `ExportError` if Pruneapp cannot write to this store."""
    if path.scheme in _READ_ONLY:
        raise ExportError(
            f"'{path}' cannot be written: Pruneapp reads from Hugging Face and uploads nothing.",
            remedy="Export to a folder, then upload that with `hf upload`.",
        )
