"""Write an object of a store atomically: it becomes visible as a whole or not at all.

The steps are those of `AtomicFile`: write, seal, commit. To S3, parts are uploaded in parallel; the
store verifies the checksum of each. They become visible in `commit`, which completes the upload on
condition that the object is still the previous one, or that there still is none. Then the object is
read back and compared. In other stores a hidden object is written, read back, compared, and copied
by the store.

An upload to S3 can be started and completed on one machine and filled on another, see
`BegunUpload`; the parts do not depend on the sender, and can be sent again.

Uploads that are not committed are aborted. A killed process leaves parts that are not visible; the
bucket's rule for incomplete uploads removes them.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self

from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES, AtomicFile
from pruneapp.checkpoint.io.files import hidden_name
from pruneapp.checkpoint.io.store import (
    POOL,
    ObjectInfo,
    S3Store,
    Store,
    StorePath,
    refuse_read_only,
    status_of,
    store_of,
)
from pruneapp.errors import ExportError, words_of
from pruneapp.progress import Cancelled, Job

# The limit of S3 for the number of parts of an object. All but the last have at least 5 MiB.
_MAX_PARTS = 10_000
PART_BYTES = 16 << 20
# Maximum number of bytes of an object in parallel requests, whatever the size of a part.
_WINDOW_BYTES = 64 << 20
# Metadata key with a random id of the upload, to recognize the object if a response was lost.
_MARK = "pruneapp-upload"
_COMPARE_BYTES = 8 << 20


class SealedFile(Protocol):
    """A file that is written and verified, but not yet visible under the name of its target."""

    @property
    def target(self) -> Path:
        """The final path."""

    def commit(self) -> None:
        """Make the data visible under the name of the target."""


class NewFile(SealedFile, Protocol):
    """A file or object that is being written: an `AtomicFile` or an `ObjectFile`."""

    @property
    def bytes_written(self) -> int:
        """Number of bytes written so far."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`, whose buffer may be reused as soon as this returns."""

    def seal(self) -> str:
        """Flush all data to the disk or store. Return its SHA-256 in hex digits."""

    def discard(self) -> None:
        """Delete everything that was not committed."""


def new_file(target: Path, nbytes: int, job: Job, *, exact: bool = True) -> NewFile:
    """Return a writer for a file on disk or an object in a store; see `AtomicFile`."""
    if isinstance(target, StorePath):
        return ObjectFile(target, nbytes, job, exact=exact)
    return AtomicFile(target, nbytes, job, exact=exact)


def write_whole(target: Path, data: bytes | memoryview, job: Job) -> str:
    """Write a file or object whose content is in memory, and commit it. Return its SHA-256.

    `job` is stepped by twice the number of bytes. Raises the errors of `AtomicFile`.
    """
    with new_file(target, memoryview(data).nbytes, job) as file:
        file.write(data)
        digest = file.seal()
        file.commit()
    return digest


class ObjectFile:
    """A writer for an object; see `AtomicFile` for the usage and the parameters.

    Raises
    ------
    ExportError
        By every method; the previous object is unchanged then.
    """

    def __init__(
        self,
        target: StorePath,
        nbytes: int,
        job: Job,
        *,
        exact: bool = True,
        begun: BegunUpload | None = None,
    ) -> None:
        """Store the parameters. No request is sent before the context is entered.

        `begun` is an upload to S3 that was started elsewhere, whose parts this object sends or
        completes; it is not aborted by `discard`.
        """
        self.target: Path = target
        self.nbytes = nbytes
        self.bytes_written = 0
        self._exact = exact
        self._job = job
        self._path = target
        self._begun = begun
        self._compare_elsewhere: Callable[[], None] | None = None
        self._upload: _Upload | None = None
        self._hash = hashlib.sha256()
        self._part = bytearray()
        self._part_bytes = max(PART_BYTES, -(-nbytes // _MAX_PARTS))
        # Size and SHA-256 of each part, to compare the data that is read back.
        self._sums: list[tuple[int, bytes]] = []
        self._sent = 0
        self._in_flight: deque[Future[tuple[int, bytes]]] = deque()
        self.is_new = False  # whether no object had this name
        self._compared = False  # whether `seal` compared the data, which steps the job only once

    def __enter__(self) -> Self:
        """Request the metadata of the object to replace. The upload starts with the first part.

        Raises `ExportError` if the store is read-only or the target is a folder.
        """
        with self._translate_errors():
            refuse_read_only(self._path)
            store = store_of(self._path)
            previous = store.look_up(self._path, now=True)
            if previous is not None and previous.is_folder:
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self._path))
            self.is_new = previous is None
            if self._begun is not None:
                self._upload = _SharedUpload(store, self._path, previous, self._begun)
            else:
                kind = _MultipartUpload if isinstance(store, S3Store) else _HiddenObject
                self._upload = kind(store, self._path, previous)
        return self

    @property
    def tags(self) -> tuple[str, ...]:
        """The entity tags of the parts that were sent to a begun upload."""
        assert isinstance(self._upload, _SharedUpload)
        return self._upload.tags()

    def fill(self, nbytes: int, tags: Sequence[str], compare: Callable[[], None]) -> None:
        """Register the parts of a begun upload that another machine sent and sealed.

        Nothing is sent. `commit` completes the upload and calls `compare` without arguments, which
        must read the object back and raise if it differs.

        Parameters
        ----------
        nbytes
            Total size of the parts.
        tags
            The entity tag of each part, in order.
        """
        assert isinstance(self._upload, _SharedUpload)
        self._upload.set_tags(tags)
        self.bytes_written = nbytes
        self._compare_elsewhere = compare

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append `data`, whose buffer may be reused as soon as this returns.

        Each complete part is sent in the background; blocks while too many are in flight. Raises
        `ExportError` if an earlier part failed.
        """
        view = memoryview(data).cast("B")
        while view:
            piece = view[: min(PIECE_BYTES, self._part_bytes - len(self._part))]
            self._part += piece
            self._hash.update(piece)
            self.bytes_written += len(piece)
            view = view[len(piece) :]
            self._job.step(len(piece))
            if len(self._part) == self._part_bytes:
                with self._translate_errors():
                    self._send()

    def _send(self) -> None:
        """Send the collected bytes as the next part, in the background.

        The first call begins the upload. Blocks until the bytes in flight fit into the window.
        """
        assert self._upload is not None
        part, self._part = bytes(self._part), bytearray()
        if not self._sent:
            self._upload.begin()
        self._sent += 1
        most = max(1, _WINDOW_BYTES // self._part_bytes) if self._upload.is_parallel else 1
        self._wait(most - 1)
        self._in_flight.append(POOL.submit(partial(_send, self._upload, self._sent, part)))

    def _wait(self, left: int) -> None:
        """Wait until at most `left` parts are in flight, oldest first, and record their sums.

        Raises the error of a part, or `Cancelled`.
        """
        while len(self._in_flight) > left:
            while not self._in_flight[0].done():
                self._job.cancel.check()
                with contextlib.suppress(TimeoutError):
                    self._in_flight[0].exception(timeout=_POLL_SECONDS)
            self._sums.append(self._in_flight.popleft().result())

    def seal(self) -> str:
        """Send the remaining data and wait until the store has it. Return its SHA-256 in hex.

        Small data may be sent by `commit` only. The object is not visible until `commit`. In stores
        other than S3 the data is read back here. Raises `ValueError` if the number of written bytes
        is not `nbytes`, or for a maximum, larger; else `ExportError`.
        """
        if self.bytes_written > self.nbytes or (self._exact and self.bytes_written != self.nbytes):
            most = "" if self._exact else " at most"
            raise ValueError(
                f"{self.nbytes:,} bytes{most} were announced, {self.bytes_written:,} written"
            )
        assert self._upload is not None
        with self._translate_errors():
            if self._sent or not self._upload.commits_small:
                if self._part or not self._sent:
                    self._send()
                self._wait(0)
            else:
                self._sums.append((self.bytes_written, self._hash.digest()))
            if back := self._upload.finish_parts():
                self._compare(back)
                self._compared = True
        return self._hash.hexdigest()

    def commit(self) -> None:
        """Make the object visible, read it back and compare it.

        If that fails, a new object is removed again; one that replaced another object stays. Raises
        `ExportError`, also if another program has changed the object since the context was entered.
        """
        assert self._upload is not None
        with self._translate_errors():
            try:
                self._compare(self._upload.commit(bytes(self._part)))
                if self._compare_elsewhere is not None:
                    self._compare_elsewhere()
            except BaseException:
                self.retract()
                raise
            self._part = bytearray()

    def retract(self) -> None:
        """Delete a committed object if it is new; one that replaced another object stays."""
        if self._upload is not None and self.is_new:
            with contextlib.suppress(OSError):
                self._upload.retract()

    def discard(self) -> None:
        """Abort the upload and delete everything that was not committed.

        Waits for the parts in flight. Raises nothing; may be called again, also after `commit`.
        """
        for future in self._in_flight:
            future.cancel()
        for future in self._in_flight:
            if not future.cancelled():
                future.exception()  # a part that arrives after the abort would not be removed
        self._in_flight.clear()
        upload, self._part = self._upload, bytearray()
        if upload is not None:
            with contextlib.suppress(OSError):
                upload.abort()

    def __exit__(self, *exc: object) -> None:
        self.discard()

    def _compare(self, back: tuple[StorePath, ObjectInfo]) -> None:
        """Read back the stored data in parallel, and raise `_OtherBytesError` if it differs.

        `back` is the path and version of the stored object. Steps the job, unless the data was
        compared by `seal`. Raises `Cancelled` only if no other object was replaced.
        """
        path, info = back
        store = store_of(path)
        reads: deque[tuple[Future[bytes], int]] = deque()
        ranges = iter(self._ranges())
        hasher, left, sums = hashlib.sha256(), 0, iter(self._sums)
        expected = b""
        while True:
            while len(reads) < _WINDOW_BYTES // _COMPARE_BYTES and (one := next(ranges, None)):
                reads.append((POOL.submit(partial(store.read, path, *one, info)), one[1] - one[0]))
            if not reads:
                break
            data, size = reads.popleft()
            if not left:
                left, expected = next(sums)
                hasher = hashlib.sha256()
            hasher.update(data.result())
            left -= size
            if not left and hasher.digest() != expected:
                raise _OtherBytesError
            # After another object was replaced, it is too late to cancel.
            with contextlib.suppress(*(() if self.is_new else (Cancelled,))):
                self._job.step(0 if self._compared else size)
        if info.size != self.bytes_written:
            raise _OtherBytesError

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges to read back; no range extends past the end of a part."""
        start = 0
        for size, _ in self._sums:
            for first in range(start, start + size, _COMPARE_BYTES):
                yield first, min(first + _COMPARE_BYTES, start + size)
            start += size

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise `ExportError` for an `OSError`, a conflict or other bytes in the block."""
        try:
            yield
        except _ConflictError:
            was = "was written by another program" if self.is_new else "was changed or removed"
            raise ExportError(
                f"'{self.target}' {was} during the export, so it was not replaced.",
                remedy="Check the file, then export again, or choose another name.",
            ) from None
        except _OtherBytesError:
            raise other_bytes_error(self.target) from None
        except OSError as error:
            raise object_error(self.target, error) from error


def other_bytes_error(target: Path) -> ExportError:
    """Return the error for an object that differs from the data that was sent."""
    return ExportError(
        f"'{target}' was not written: the bytes read back from the store differ from those that "
        "were written.",
        remedy="Export again; if it happens again, contact the operator of the store.",
    )


def object_error(target: Path, error: OSError) -> ExportError:
    """Return the error for an operation that the store rejected, with a remedy for some kinds."""
    remedy = "Check the connection to the store, then export again."
    if isinstance(error, PermissionError):
        remedy = "Choose a place that you may write to, or check your credentials."
    elif isinstance(error, FileNotFoundError):
        remedy = "Check the name of the bucket."
    elif isinstance(error, IsADirectoryError):
        remedy = "Choose another name."
    return ExportError(
        f"'{target}' cannot be written: {words_of(error)}.",
        remedy=remedy,
        details=f"{type(error).__name__}: {error}",
    )


# Seconds between two checks for cancellation while parts are in flight.
_POLL_SECONDS = 0.025


def _send(upload: _Upload, number: int, part: bytes) -> tuple[int, bytes]:
    """Send part `number` of an upload. Return its size and SHA-256."""
    upload.send(number, part)
    return len(part), hashlib.sha256(part).digest()


class _ConflictError(Exception):
    """Another program has written or removed the object during the upload."""


class _OtherBytesError(Exception):
    """The data read back from the store differs from the data that was sent."""


class _Upload(Protocol):
    """A way to write bytes to a store and make them visible."""

    is_parallel: bool  # whether parts may be sent in parallel
    commits_small: bool  # whether data smaller than a part is passed to `commit` instead

    def begin(self) -> None:
        """Start the upload; called before the first part is sent."""

    def send(self, number: int, data: bytes) -> None:
        """Send a part; numbers start at 1."""

    def finish_parts(self) -> tuple[StorePath, ObjectInfo] | None:
        """Return the path and metadata of an object that already has all data; None if not yet."""

    def commit(self, small: bytes) -> tuple[StorePath, ObjectInfo]:
        """Make the data visible. Return the object to read back."""

    def retract(self) -> None:
        """Delete the committed object, unless it has been replaced."""

    def abort(self) -> None:
        """Delete the parts that were not committed."""


class _MultipartUpload:
    """An upload to S3 in parts, or in one request if it is small."""

    is_parallel = True
    commits_small = True

    def __init__(self, store: Store, path: StorePath, previous: ObjectInfo | None) -> None:
        """Store the parameters without sending a request.

        `previous` is the version of the object that may be replaced; None if there must be none.
        """
        assert isinstance(store, S3Store)
        self._store = store
        self._path = path
        self._condition = {"IfNoneMatch": "*"} if previous is None else {"IfMatch": previous.tag}
        self.mark = os.urandom(8).hex()
        self.id = ""
        self._tags: dict[int, str] = {}
        self._done = False

    def _call(self, method: str, **values: Any) -> Any:
        path = self._path
        return self._store.call_with_retries(path, lambda: self._store.call(method, path, **values))

    def begin(self) -> None:
        begun = self._call("create_multipart_upload", Metadata={_MARK: self.mark})
        self.id = begun["UploadId"]

    def send(self, number: int, data: bytes) -> None:
        answer = self._call(
            "upload_part", UploadId=self.id, PartNumber=number, Body=data, ContentMD5=_md5(data)
        )
        self._tags[number] = answer["ETag"]

    def finish_parts(self) -> None:
        return None

    def commit(self, small: bytes) -> tuple[StorePath, ObjectInfo]:
        """Complete the upload, or send all data (`small`) in one request if no part was sent.

        Raises `_ConflictError` if the object is not the one that may be replaced.
        """
        self._store.clear_cache()
        if not self.id:
            mark = {_MARK: self.mark}
            self._call_once("put_object", Body=small, ContentMD5=_md5(small), Metadata=mark)
        else:
            parts = [
                {"PartNumber": number, "ETag": tag} for number, tag in sorted(self._tags.items())
            ]
            self._call_once(
                "complete_multipart_upload", UploadId=self.id, MultipartUpload={"Parts": parts}
            )
        self._done = True
        self._store.clear_cache()
        return self._path, self._path.look_up(now=True)

    def _call_once(self, method: str, **values: Any) -> None:
        """Send a request on condition that the object to replace has not changed.

        The request must take effect only once, even if its response was lost: a refusal is a
        success if the object has the mark of this upload. Otherwise it raises `_ConflictError`, or
        `OSError` for other errors.
        """
        try:
            self._call(method, **values, **self._condition)
        except OSError as error:
            status = status_of(error)
            if status in {404, 409, 412} or isinstance(error, FileExistsError):
                if self._is_own_object():
                    return
                if status != 404:
                    raise _ConflictError from None
            raise

    def _is_own_object(self) -> bool:
        try:
            head = self._call("head_object")
        except FileNotFoundError:
            return False
        return bool(head.get("Metadata", {}).get(_MARK) == self.mark)

    def retract(self) -> None:
        if self._is_own_object():
            self._store.delete(self._path)

    def abort(self) -> None:
        if not self.id or self._done:
            return
        self._done = True
        with contextlib.suppress(FileNotFoundError):
            self._call("abort_multipart_upload", UploadId=self.id)


class _SharedUpload(_MultipartUpload):
    """An upload that `BegunUpload.begin` started; `abort` leaves it to the caller."""

    commits_small = False

    def __init__(
        self, store: Store, path: StorePath, previous: ObjectInfo | None, begun: BegunUpload
    ) -> None:
        super().__init__(store, path, previous)
        self.id, self.mark = begun.upload_id, begun.mark

    def begin(self) -> None:
        pass

    def abort(self) -> None:
        pass

    def tags(self) -> tuple[str, ...]:
        return tuple(self._tags[number] for number in sorted(self._tags))

    def set_tags(self, tags: Sequence[str]) -> None:
        self._tags = dict(enumerate(tags, 1))


@dataclass(frozen=True)
class BegunUpload:
    """A multipart upload to S3 that can be passed to another machine.

    The parts become visible when an `ObjectFile` that was created with it is committed.
    """

    path: StorePath
    upload_id: str
    mark: str

    @classmethod
    def begin(cls, path: StorePath) -> BegunUpload:
        """Start an upload to S3. Raises `OSError`.

        The caller completes it with an `ObjectFile`, or aborts it.
        """
        store = store_of(path)
        assert isinstance(store, S3Store)
        upload = _MultipartUpload(store, path, None)
        upload.begin()
        return cls(path, upload.id, upload.mark)

    def list_tags(self) -> tuple[str, ...]:
        """Return the entity tags of the stored parts, in order of their numbers.

        Empty if the store does not have this upload. Raises `OSError`.
        """
        tags: list[str] = []
        more: dict[str, Any] = {}
        while True:
            try:
                page = self._call("list_parts", **more)
            except FileNotFoundError:
                return ()
            tags += [part["ETag"] for part in page.get("Parts", ())]
            if not page.get("IsTruncated"):
                return tuple(tags)
            more = {"PartNumberMarker": page["NextPartNumberMarker"]}

    def exists(self) -> bool:
        """Return whether the store has this upload: it was neither completed nor aborted.

        Raises `OSError`.
        """
        try:
            self._call("list_parts", MaxParts=1)
        except FileNotFoundError:
            return False
        return True

    def abort(self) -> None:
        """Abort the upload and delete its parts. Raises `OSError`; an unknown upload is no error.

        The store may keep a part that arrives at the same time, so this is repeated until the store
        does not know the upload, at most `_ABORTS` times.
        """
        with contextlib.suppress(FileNotFoundError):
            for _ in range(_ABORTS):
                self._call("abort_multipart_upload")

    def _call(self, method: str, **values: Any) -> Any:
        store = store_of(self.path)
        assert isinstance(store, S3Store)
        return store.call_with_retries(
            self.path, lambda: store.call(method, self.path, UploadId=self.upload_id, **values)
        )


# Some stores return the same response for an unknown upload as for one that they abort.
_ABORTS = 3


def _md5(data: bytes) -> str:
    return base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()


class _HiddenObject:
    """An upload to a hidden object, which the store copies after it was compared."""

    is_parallel = False
    commits_small = False

    def __init__(self, store: Store, path: StorePath, previous: ObjectInfo | None) -> None:
        """Store the parameters without sending a request.

        `previous` is the version of the object that may be replaced; None if there must be none.
        """
        self._store = store
        self._path = path
        self._previous = previous
        self._hidden = path.with_name(hidden_name(path.name, "part"))
        self._file: Any = None
        self._begun = False
        self._info: ObjectInfo | None = None

    def begin(self) -> None:
        self._begun = True
        self._file = self._store.files.open(str(self._hidden), "wb")

    def send(self, number: int, data: bytes) -> None:  # noqa: ARG002 - parts are sent in order
        self._file.write(data)

    def finish_parts(self) -> tuple[StorePath, ObjectInfo]:
        self._file.close()
        self._store.clear_cache()
        return self._hidden, self._hidden.look_up(now=True)

    def commit(self, small: bytes) -> tuple[StorePath, ObjectInfo]:
        """Copy the hidden object to the target, which is not atomic, and return the new version.

        `small` must be empty. Raises `_ConflictError` if the target has changed since the context
        was entered. The hidden object stays until `abort`.
        """
        assert not small
        now = self._store.look_up(self._path, now=True)
        if now != self._previous:
            raise _ConflictError
        names = str(self._hidden), str(self._path)
        self._store.call_with_retries(self._path, lambda: self._store.files.cp_file(*names))
        self._store.clear_cache()
        self._info = self._path.look_up(now=True)
        return self._path, self._info

    def retract(self) -> None:
        if self._info is not None and self._path.look_up(now=True) == self._info:
            self._store.delete(self._path)

    def abort(self) -> None:
        """Delete the hidden object, also after `commit`. Do nothing if none was begun."""
        if not self._begun:
            return
        self._begun = False
        with contextlib.suppress(Exception):  # an incomplete upload may raise any error
            self._file.close()
        with contextlib.suppress(FileNotFoundError):
            self._store.delete(self._hidden)
