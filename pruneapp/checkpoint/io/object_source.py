"""Read objects of stores by position, with few large parallel requests and read-ahead.

A request takes about 50 ms until its first byte arrives, whatever its size, so reading a tensor
chunk by chunk would mostly wait. Blocks are cached, and runs of missing blocks are requested
together. For a reader that continues where it stopped, increasing amounts are requested in advance.
Several readers of a file are distinguished by the positions where they stopped.
"""

from __future__ import annotations

import errno
import threading
from collections import OrderedDict
from concurrent.futures import CancelledError, Future
from functools import partial
from pathlib import Path

from pruneapp.checkpoint.io.source import FileIdentity, FileSource, open_error, refuse_irregular
from pruneapp.checkpoint.io.store import POOL, ChangedError, ObjectInfo, StorePath, store_of
from pruneapp.errors import CheckpointError, DamagedFileError, FileChangedError, words_of

# A header consists of a few blocks; a request has at most `_REQUEST` bytes.
_BLOCK = 256 << 10
_REQUEST = 8 << 20
# Maximum gap after which a read still continues the previous one: the padding between two tensors,
# or the distance between samples. Reading it is faster than a separate request.
_MAX_GAP = 1 << 20
# Maximum read-ahead of a reader.
_MAX_READ_AHEAD = 32 << 20
# Maximum number of readers that are distinguished in a file.
_READERS = 16
# Maximum size of the cache, for all files together.
CACHE_BYTES = 256 << 20


def open_source(path: Path) -> FileSource:
    """Open a file on disk or an object in a store; see `FileSource`."""
    return ObjectSource(path) if isinstance(path, StorePath) else FileSource(path)


class _Range:
    """A range of bytes of an object that was requested."""

    def __init__(self, start: int, stop: int, blocks: dict[int, _Range]) -> None:
        self.start = start
        self.stop = stop
        self.blocks = blocks  # the dict of its object, which itself is not referenced
        self.data: Future[bytes]


class _Cache:
    """The ranges that were read of all objects; least recently used ones are dropped first."""

    def __init__(self) -> None:
        # Reentrant, because garbage collection may close a source while the lock is held.
        self.lock = threading.RLock()
        self._ranges: OrderedDict[_Range, None] = OrderedDict()
        self._bytes = 0

    def add(self, one: _Range) -> None:
        """Add a range and drop old ones if necessary. The lock must be held."""
        self._ranges[one] = None
        self._bytes += one.stop - one.start
        while self._bytes > CACHE_BYTES and len(self._ranges) > 1:
            self.drop(next(iter(self._ranges)))

    def use(self, one: _Range) -> None:
        """Mark a range as used. The lock must be held."""
        if one in self._ranges:
            self._ranges.move_to_end(one)

    def drop(self, one: _Range) -> None:
        """Drop a range, so that its blocks are requested again. The lock must be held.

        Does nothing if the range is not in the cache.
        """
        if one not in self._ranges:
            return
        del self._ranges[one]
        self._bytes -= one.stop - one.start
        for block in range(one.start // _BLOCK, -(-one.stop // _BLOCK)):
            if one.blocks.get(block) is one:
                del one.blocks[block]

    def drop_all(self, blocks: dict[int, _Range]) -> None:
        """Drop all ranges of an object."""
        with self.lock:
            for one in set(blocks.values()):
                self.drop(one)
                one.data.cancel()


_CACHE = _Cache()


class ObjectSource(FileSource):
    """An object of a store that is read by position; see `FileSource`.

    Each request contains the version of the object that was opened: if it was replaced,
    `FileChangedError` is raised, and bytes of two versions are never mixed.
    """

    def __init__(self, path: StorePath) -> None:
        """Request the metadata of the object. Raise `CheckpointError` if it cannot be read."""
        self.path: Path = path
        self._closed = True
        try:
            self._store = store_of(path)
            self._info = path.look_up(now=True)
            refuse_irregular(path, self._info.status(path))
        except OSError as error:
            raise open_error(path, error) from None
        self.identity = FileIdentity.from_status(self._info.status(path))
        self._closed = False
        self.bytes_read = 0
        self._blocks: dict[int, _Range] = {}  # the range of each block; guarded by `_CACHE.lock`
        # For each position where a reader stopped, the size of its read-ahead.
        self._read_ahead_at: OrderedDict[int, int] = OrderedDict()

    @property
    def _object(self) -> StorePath:
        assert isinstance(self.path, StorePath)
        return self.path

    def read_uncounted(self, offset: int, buffer: memoryview) -> None:
        """Fill `buffer` from `offset` on, from the cache or by requests, and start a read-ahead.

        Blocks until the bytes have arrived. Raises `DamagedFileError` after the end,
        `FileChangedError` if the object was replaced, or `CheckpointError` if it is closed or the
        store does not answer.
        """
        if self._closed:
            raise self._closed_error()
        view = buffer.cast("B")
        stop = offset + len(view)
        if stop > self.size:
            raise DamagedFileError(
                f"'{self.path}' ends at byte {self.size:,}, but {stop:,} are needed.",
                remedy="The download or copy was interrupted: get the file again.",
            )
        if not view:
            return
        with _CACHE.lock:
            ranges = self._ranges_for(offset, stop)
            self._read_ahead(offset, stop)
        for one in ranges:
            start, end = max(offset, one.start), min(stop, one.stop)
            data = memoryview(self._data(one))
            view[start - offset : end - offset] = data[start - one.start : end - one.start]

    def _ranges_for(self, offset: int, stop: int, *, ahead: bool = False) -> list[_Range]:
        """Return the ranges that contain the bytes `offset` to `stop` (exclusive), in order.

        Missing ones are requested without waiting for them, so a range may begin before `offset`
        and its data may not have arrived. Requests `ahead` of reading have a low priority. The lock
        of the cache must be held.
        """
        ranges: list[_Range] = []
        block, last = offset // _BLOCK, -(-stop // _BLOCK)
        while block < last:
            one = self._blocks.get(block)
            if one is None:
                end = block + 1
                most = min(last, block + _REQUEST // _BLOCK)
                while end < most and end not in self._blocks:
                    end += 1
                one = self._request(block * _BLOCK, min(end * _BLOCK, self.size), ahead=ahead)
            else:
                _CACHE.use(one)
            ranges.append(one)
            block = -(-one.stop // _BLOCK)
        return ranges

    def _request(self, start: int, stop: int, *, ahead: bool) -> _Range:
        """Submit a request for the bytes `start` to `stop` (exclusive), and register its blocks."""
        one = _Range(start, stop, self._blocks)
        store, path, info = self._store, self._object, self._info
        one.data = POOL.submit(partial(store.read, path, start, stop, info), ahead=ahead)
        for block in range(start // _BLOCK, -(-stop // _BLOCK)):
            self._blocks[block] = one
        _CACHE.add(one)
        return one

    def _read_ahead(self, offset: int, stop: int) -> None:
        """Request bytes after `stop` if the read of `offset` to `stop` continues an earlier one.

        The amount doubles with each continued read, up to a limit that several readers share.
        """
        at = next((end for end in self._read_ahead_at if 0 <= offset - end < _MAX_GAP), None)
        ahead = 0
        if at is not None:
            previous = self._read_ahead_at.pop(at)
            limit = min(_MAX_READ_AHEAD, CACHE_BYTES // (2 * len(self._read_ahead_at) + 2))
            ahead = min(max(2 * previous, 2 * (stop - offset), _BLOCK), limit)
        self._read_ahead_at[stop] = ahead
        if len(self._read_ahead_at) > _READERS:
            self._read_ahead_at.popitem(last=False)
        end = min(stop + ahead, self.size)
        start = -(-stop // _BLOCK) * _BLOCK
        while start < end and (one := self._blocks.get(start // _BLOCK)):
            start = one.stop
        if end < self.size:  # request large ranges rather than single blocks
            size = min(_REQUEST, max(ahead // 2 // _BLOCK, 1) * _BLOCK)
            end = start + max(end - start, 0) // size * size
        if start < end:
            self._ranges_for(start, end, ahead=True)

    def _data(self, one: _Range) -> bytes:
        """Wait for a range and return its bytes.

        A range that failed is dropped from the cache, so that the next read requests it again.
        Raises `FileChangedError` or `CheckpointError`.
        """
        try:
            return one.data.result()
        except CancelledError:
            raise self._closed_error() from None
        except ChangedError as error:
            self._drop(one)
            raise self._change_error(error) from None
        except OSError as error:
            self._drop(one)
            raise CheckpointError(
                f"'{self.path}' cannot be read at byte {one.start:,}: {words_of(error)}.",
                remedy="Check the connection to the store, then try again.",
                details=str(error),
            ) from None
        except BaseException:
            self._drop(one)
            raise

    def _closed_error(self) -> CheckpointError:
        return CheckpointError(f"'{self.path}' was closed.", remedy="Open it again.")

    def _drop(self, one: _Range) -> None:
        with _CACHE.lock:  # so that it is requested again when needed
            _CACHE.drop(one)

    def verify_unchanged(self) -> None:
        """Request the metadata and raise `FileChangedError` if the object was replaced or removed.

        Raises `CheckpointError` if the store does not answer.
        """
        try:
            now: ObjectInfo = self._object.look_up(now=True)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                raise CheckpointError(
                    f"'{self.path}' cannot be accessed: {words_of(error)}.",
                    remedy="Check the connection to the store, then try again.",
                ) from None
            raise self._change_error(error) from None
        if FileIdentity.from_status(now.status(self._object)) != self.identity:
            raise self._changed_error()

    def _change_error(self, error: OSError) -> FileChangedError:
        if error.errno == errno.ENOENT:
            return FileChangedError(
                f"'{self.path}' no longer exists.",
                remedy="Restore it, or open it at its new location.",
            )
        return self._changed_error()

    def reopen_at(self, path: Path) -> None:
        """Not supported: objects are not moved; see `FileSource`."""
        raise NotImplementedError  # exports onto the opened object are rejected before

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the source and drop its cached data."""
        if not self._closed:
            self._closed = True
            _CACHE.drop_all(self._blocks)
