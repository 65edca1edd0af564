"""Objects in stores (S3, Google Cloud, Azure, Hugging Face) under paths that are URLs.

A `StorePath` is a `pathlib.Path`: whoever looks at files by its methods needs not know that this
one is an object. This module alone knows of fsspec, which is imported when a store is first asked
something; credentials are found by its backends, and never seen here.

A command looks at the same objects a dozen times (is it a folder, what lies beside it), so what a
store said is believed for `_BELIEVED` seconds. Nothing depends on it: who reads has the store
compare the tag of the object with every answer, who writes has it compare before it replaces.
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

# The package that each store needs, and what to install.
_CLOUD = 'pip install "pruneapp[cloud]"'
_PACKAGES = {
    "s3": ("s3fs", _CLOUD),
    "gs": ("gcsfs", "pip install gcsfs"),
    "gcs": ("gcsfs", "pip install gcsfs"),
    "az": ("adlfs", "pip install adlfs"),
    "abfs": ("adlfs", "pip install adlfs"),
    "abfss": ("adlfs", "pip install adlfs"),
    "hf": ("huggingface_hub", f"{_CLOUD} huggingface_hub"),
    "memory": ("fsspec", _CLOUD),  # of the process itself, for tests
}
_READ_ONLY = frozenset({"hf"})
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_BELIEVED = 2.0
# Seconds before each further try; each is shortened by chance, so that many readers of a store that
# is busy do not come back at once.
_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0)
# Requests under way at once, of all sources and uploads together.
_REQUESTS = 16
_READING = 8 << 20
_LISTED = 1000
_LISTINGS = 64


class ChangedError(OSError):
    """An object is another one than it was."""


class StorePath(PosixPath):
    """The URL of an object, or of a folder of objects, as a path."""

    def __new__(cls, *parts: str | os.PathLike[str]) -> StorePath:
        # `PosixPath` refuses to be made on Windows, where URLs are no different.
        before_312 = getattr(cls, "_from_parts", None)
        made: StorePath = object.__new__(cls) if before_312 is None else before_312(parts)
        return made

    @property
    def scheme(self) -> str:
        """Which kind of store it is in."""
        return self.parts[0].removesuffix(":")

    def __str__(self) -> str:
        scheme, *names = self.parts
        return f"{scheme}//{'/'.join(names)}"

    def __fspath__(self) -> str:
        # A name of a local file made of it would be looked for, or even be written, in the working
        # folder.
        raise TypeError(f"'{self}' is not a file of this machine")

    def as_posix(self) -> str:
        return str(self)

    def as_uri(self) -> str:
        return str(self)

    def relative_to(  # type: ignore[override]  # a way is no URL
        self, *other: str | os.PathLike[str], **_: Any
    ) -> Path:
        """Return the way from another one, which is no URL."""
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
        """Return what the store says of it, as a system says it of a file."""
        return self.seen().status(self)

    def lstat(self) -> os.stat_result:
        return self.stat()

    def seen(self, *, now: bool = False) -> Seen:
        """Return what the store says of it, `now` or a moment ago; raises `OSError` if nothing."""
        found = store_of(self).seen(self, now=now)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        return found

    def _is(self, *, folder: bool) -> bool:
        found = store_of(self).seen(self)
        return found is not None and found.is_folder == folder

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        return store_of(self).seen(self) is not None

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(folder=True)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(folder=False)

    def iterdir(self) -> Iterator[StorePath]:  # type: ignore[override]  # no generator
        entries = store_of(self).entries(self)
        if not entries and not self.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        return iter([self / name for name in entries])

    def glob(  # type: ignore[override]  # no generator
        self, pattern: str, **_: Any
    ) -> Iterator[StorePath]:
        """Yield what lies in the folder itself and has such a name."""
        return (path for path in self.iterdir() if fnmatchcase(path.name, pattern))

    def read_bytes(self) -> bytes:
        """Return all of a small object."""
        found = self.seen()
        return store_of(self).read(self, 0, found.size, found)

    def open(  # type: ignore[override]  # bytes alone, and only to be read
        self, mode: str = "rb", *_: Any, **__: Any
    ) -> BufferedReader:
        """Open it to be read from its beginning to its end."""
        if mode != "rb":
            raise OSError(errno.EROFS, "objects are not opened to be written", str(self))
        return BufferedReader(_Reading(self), _READING)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def unlink(self, missing_ok: bool = False) -> None:
        try:
            store_of(self).delete(self)
        except FileNotFoundError:
            if not missing_ok:
                raise


def is_store(path: Path) -> bool:
    """Whether a path is that of an object, or of a folder of objects, in a store."""
    return isinstance(path, StorePath)


def locate(text: str | Path) -> Path:
    """Return the path that a person wrote: of a file, or the URL of an object; contacts nobody.

    Raises
    ------
    ParameterError
        If it is a URL of another kind, or one that holds a password; what was written is not
        repeated then.
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


class _Reading(RawIOBase):
    """An object while it is copied."""

    def __init__(self, path: StorePath) -> None:
        self._path = path
        self._seen = path.seen(now=True)
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._next(len(view))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:  # not in the small pieces of the base class
        return self._next(self._seen.size)

    def _next(self, size: int) -> bytes:
        start, self._at = self._at, min(self._at + size, self._seen.size)
        return store_of(self._path).read(self._path, start, self._at, self._seen)


@dataclass(frozen=True)
class Seen:
    """What a store says of an object, or of a folder."""

    size: int
    tag: str  # another one as soon as the content is another; empty of a folder
    seconds: float = 0.0  # when it was last changed
    is_folder: bool = False

    def status(self, path: StorePath) -> os.stat_result:
        """Return it as a system says it of a file.

        Stores know seconds alone: what is finer is made of the tag, so that two contents of one
        second differ.
        """
        number = int.from_bytes(hashlib.sha256(str(path).encode()).digest()[:7], "little")
        fine = int.from_bytes(hashlib.sha256(self.tag.encode()).digest()[:4], "little")
        second = int(self.seconds)
        kind = stat.S_IFDIR if self.is_folder else stat.S_IFREG
        times = {f"st_{kind}time_ns": second * 10**9 + fine % 10**9 for kind in "amc"}
        fields = (kind | 0o644, number, _DEVICE, 1, 0, 0, self.size, second, second, second)
        return os.stat_result(fields, times)


# In the place of the number of a disk: no system has one as large.
_DEVICE = 0x70727573746F7265


class Pool:
    """Threads for requests; what somebody waits for goes before what is read ahead.

    They are daemons: a program that ends does not wait for what nobody waits for.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0
        self._numbers = count()
        self._queue: PriorityQueue[tuple[int, int, Future[Any], Callable[[], Any]]] = (
            PriorityQueue()
        )

    def submit(self, call: Callable[[], T], *, ahead: bool = False) -> Future[T]:
        """Have a thread do something; `ahead` of somebody who will want it."""
        future: Future[T] = Future()
        with self._lock:
            self._queue.put((int(ahead), next(self._numbers), future, call))
            if not self._idle and self._threads < _REQUESTS:
                self._threads += 1
                threading.Thread(target=self._serve, name="pruneapp-store", daemon=True).start()
        return future

    def _serve(self) -> None:
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
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                future.set_exception(error)
            del future, call  # a source that is dropped is not kept by an idle thread


POOL = Pool()


class Store:
    """A store, by what every backend of fsspec can do."""

    def __init__(self, files: Any) -> None:
        self.files = files
        self._lock = threading.Lock()
        self._listings: dict[StorePath, tuple[float, Mapping[str, Seen]]] = {}

    # -- looking ----------------------------------------------------------------------------------

    def seen(self, path: StorePath, *, now: bool = False) -> Seen | None:
        """Return what is at a path, `now` or a moment ago; None if nothing is."""
        if not now:
            if path in self._believed_listings():
                return Seen(0, "", is_folder=True)
            beside = self._believed_listings().get(path.parent)
            if beside is not None:
                return beside.get(path.name)
        found = self.ask(path, lambda: self.find(path))
        if found is None and self.entries(path):
            return Seen(0, "", is_folder=True)
        return found

    def entries(self, path: StorePath) -> Mapping[str, Seen]:
        """Return what lies in a folder, by name; nothing if there is no such folder."""
        known = self._believed_listings().get(path)
        if known is not None:
            return known
        found = self.ask(path, lambda: self.list(path))
        entries = dict(sorted(found.items()))
        if entries:
            with self._lock:
                while len(self._listings) >= _LISTINGS:
                    self._listings.pop(next(iter(self._listings)))
                self._listings[path] = time.monotonic(), entries
        return entries

    def _believed_listings(self) -> dict[StorePath, Mapping[str, Seen]]:
        since = time.monotonic() - _BELIEVED
        with self._lock:
            return {path: known for path, (when, known) in self._listings.items() if when > since}

    def forget(self) -> None:
        """Believe nothing any more: something was changed."""
        with self._lock:
            self._listings.clear()

    # -- what a backend does, without patience ----------------------------------------------------

    def find(self, path: StorePath) -> Seen | None:
        """Return what is at a path; a folder may be overlooked."""
        try:
            return _seen(self.files.info(str(path), refresh=True))
        except FileNotFoundError:
            return None

    def list(self, path: StorePath) -> dict[str, Seen]:
        """Return what lies in a folder."""
        try:
            rows = self.files.ls(str(path), detail=True, refresh=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        named = {row["name"].rstrip("/").rpartition("/")[2]: _seen(row) for row in rows}
        named.pop("", None)
        if len(rows) == 1 and named.keys() == {path.name} and not named[path.name].is_folder:
            return {}  # the object itself
        return named

    def fetch(self, path: StorePath, start: int, stop: int, known: Seen) -> bytes:
        """Return bytes of an object that must be the known one."""
        data: bytes = self.files.cat_file(str(path), start=start, end=stop)
        now = self.find(path)
        if now is None or (now.tag, now.size) != (known.tag, known.size):
            raise ChangedError(errno.ESTALE, "it was replaced")
        return data

    def remove(self, path: StorePath) -> None:
        """Remove an object."""
        self.files.rm_file(str(path))

    def may_pass(self, error: Exception) -> bool:
        """Whether the same question may be answered a moment later."""
        lasting = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError)
        if isinstance(error, (ChangedError, NotADirectoryError, *lasting)):
            return False
        if isinstance(error, (OSError, TimeoutError, EOFError)):
            return True
        # Those of the library that fsspec uses for HTTP.
        return type(error).__module__.partition(".")[0] in {"aiohttp", "urllib3", "http"}

    # -- with patience ----------------------------------------------------------------------------

    def read(self, path: StorePath, start: int, stop: int, known: Seen) -> bytes:
        """Return bytes of an object that must be the known one; `ChangedError` if it is not."""
        if stop <= start:
            return b""

        def fetch() -> bytes:
            data = self.fetch(path, start, stop, known)
            if len(data) != stop - start:
                raise EOFError(f"{len(data):,} of {stop - start:,} bytes came")
            return data

        return self.ask(path, fetch)

    def delete(self, path: StorePath) -> None:
        """Remove an object."""
        self.forget()
        self.ask(path, lambda: self.remove(path))
        self.forget()

    def ask(self, path: StorePath, question: Callable[[], T]) -> T:
        """Return what a store answers, asked again while it has no time or the line is cut.

        Raises
        ------
        OSError
            With the reason, as a system would say it of a file.
        """
        waits = iter(_WAITS)
        while True:
            try:
                return question()
            except Exception as error:  # of whatever library the backend uses; see `told`
                wait = next(waits, None)
                if wait is None or not self.may_pass(error):
                    told = self.told(error, path)
                    if told is error:
                        raise
                    raise told from error
                # No window waits here: whoever asks a store does it in a thread of its own.
                time.sleep(wait * random.uniform(0.5, 1))  # noqa: S311 - no secret

    def told(self, error: Exception, path: StorePath) -> Exception:
        """Return an error of a backend as one of a system; a defect stays what it is."""
        if isinstance(error, ChangedError):
            return error
        if isinstance(error, OSError):
            number = error.errno or _NUMBERS.get(type(error), errno.EIO)
            words = error.strerror or str(error) or os.strerror(number)
            return type(error)(number, words, str(path)) if _plain(error) else _eio(words, path)
        if isinstance(error, (TimeoutError, EOFError)) or self.may_pass(error):
            return _eio(f"the store does not answer ({type(error).__name__})", path)
        return error


_NUMBERS: dict[type[OSError], int] = {
    PermissionError: errno.EACCES,
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
}


def _plain(error: OSError) -> bool:
    return type(error) in _NUMBERS


def _eio(words: str, path: StorePath) -> OSError:
    return OSError(errno.EIO, words, str(path))


_TAGS = ("ETag", "etag", "generation", "blob_id", "version_id", "md5Hash", "content_md5")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "modified", "created")


def _seen(row: Mapping[str, Any]) -> Seen:
    """Take what a backend of fsspec says of an object; each has words of its own."""
    if row.get("type") == "directory":
        return Seen(0, "", is_folder=True)
    when = next((row[name] for name in _TIMES if row.get(name)), 0)
    if isinstance(when, str):
        with contextlib.suppress(ValueError):
            when = datetime.fromisoformat(when)
    seconds = when.timestamp() if isinstance(when, datetime) else when
    seconds = seconds if isinstance(seconds, (int, float)) else 0
    tag = " ".join(str(row[name]) for name in _TAGS if row.get(name))
    return Seen(int(row.get("size") or 0), tag or f"{seconds}", seconds)


class S3Store(Store):
    """A bucket of S3, or of a store that speaks its protocol."""

    def find(self, path: StorePath) -> Seen | None:
        _, key = split(path)
        if not key:
            return None
        try:
            head = self.call("head_object", path)
        except FileNotFoundError:
            return None
        when = head.get("LastModified")
        return Seen(head["ContentLength"], head.get("ETag", ""), when.timestamp() if when else 0)

    def list(self, path: StorePath) -> dict[str, Seen]:
        bucket, key = split(path)
        prefix = f"{key}/" if key else ""
        found: dict[str, Seen] = {}
        more: dict[str, str] = {}
        while True:
            page = self.call(
                "list_objects_v2", None, Bucket=bucket, Prefix=prefix, Delimiter="/",
                MaxKeys=_LISTED, **more,
            )  # fmt: skip
            for row in page.get("Contents", ()):
                if name := row["Key"].removeprefix(prefix):
                    when = row["LastModified"].timestamp()
                    found[name] = Seen(row["Size"], row.get("ETag", ""), when)
            for row in page.get("CommonPrefixes", ()):
                name = row["Prefix"].removeprefix(prefix).rstrip("/")
                if name:
                    found[name] = Seen(0, "", is_folder=True)
            if not page.get("IsTruncated"):
                return found
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def fetch(self, path: StorePath, start: int, stop: int, known: Seen) -> bytes:
        bucket, key = split(path)

        async def get() -> bytes:
            answer = await self.files._call_s3(  # noqa: SLF001 - the public one reads no body
                "get_object", Bucket=bucket, Key=key, Range=f"bytes={start}-{stop - 1}",
                IfMatch=known.tag, **self.files.req_kw,
            )  # fmt: skip
            async with answer["Body"] as body:
                data: bytes = await body.read()
                return data

        try:
            data: bytes = self._run(get)
        except FileNotFoundError:
            raise ChangedError(errno.ENOENT, "it is no longer there") from None
        except OSError as error:
            if status_of(error) in {412, 416}:
                raise ChangedError(errno.ESTALE, "it was replaced") from None
            raise
        return data

    def remove(self, path: StorePath) -> None:
        self.call("delete_object", path)

    def call(self, method: str, path: StorePath | None, **values: Any) -> Any:
        """Do something of S3's protocol, once; with an object where a path is given."""
        if path is not None:
            values["Bucket"], values["Key"] = split(path)

        async def call() -> Any:
            # As s3fs itself calls it: with its session, and its errors translated.
            return await self.files._call_s3(method, **values)  # noqa: SLF001 - none is public

        return self._run(call)

    def _run(self, coroutine: Callable[[], Any]) -> Any:
        from fsspec.asyn import sync

        return sync(self.files.loop, coroutine)

    def may_pass(self, error: Exception) -> bool:
        status = status_of(error)
        if status:
            return status in {408, 409, 429} or status >= 500
        from botocore.exceptions import FlexibleChecksumError, HTTPClientError

        answers = isinstance(error, (FlexibleChecksumError, HTTPClientError))
        return answers or super().may_pass(error)

    def told(self, error: Exception, path: StorePath) -> Exception:
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
            return _eio("what the store sends does not match its checksum", path)
        if isinstance(error, BotoCoreError):
            # Its words may repeat what a request was signed with.
            return _eio(f"the store does not answer ({type(error).__name__})", path)
        return super().told(error, path)


def split(path: StorePath) -> tuple[str, str]:
    """Return the bucket and the key of an object."""
    _, bucket, *names = path.parts
    return bucket, "/".join(names)


def status_of(error: BaseException) -> int:
    """Return with which status of HTTP a store of S3 refused; 0 if it did not answer."""
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
    """Return the store that an object is in; connects when it is first asked something.

    Raises
    ------
    CheckpointError
        If a package is missing.
    """
    place = path.parts[:2]
    with _stores_lock:
        store = _stores.get(place)
        if store is None:
            store = _stores[place] = _connected(path)
    return store


def _connected(path: StorePath) -> Store:
    package, install = _PACKAGES[path.scheme]
    root = StorePath(*path.parts[:2])
    # Listings are not kept by fsspec, which would not notice that they are old.
    options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    try:
        from fsspec.config import conf
        from fsspec.core import url_to_fs

        if path.scheme == "s3":
            # One place tries again, `Store.ask`; the person's own settings stay.
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
    files.retries = 1  # of s3fs itself, for the same reason
    return S3Store(files)


def refuse_read_only(path: StorePath) -> None:
    """Raise `ExportError` where nothing can be written."""
    if path.scheme in _READ_ONLY:
        raise ExportError(
            f"'{path}' cannot be written: Pruneapp reads from Hugging Face and uploads nothing.",
            remedy="Export to a folder, then upload that with `hf upload`.",
        )
