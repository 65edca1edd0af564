"""Walk and splice messages in the wire format of protocol buffers without loading them.

A message of gigabytes is read through a window; the values of skipped fields are not read. No
schema is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.parser_client import read_in_pieces
from pruneapp.errors import DamagedFileError, counted
from pruneapp.progress import CancelToken

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_WINDOW_BYTES = 1 << 16
_MAX_VARINT_BYTES = 10
_FIELDS_PER_CHECK = 4096  # fields between two checks for cancellation


class WireField(NamedTuple):
    """A field of a message. Positions are offsets in the file."""

    number: int
    wire: int  # one of `VARINT`, `FIXED64`, `LENGTH`, `FIXED32`
    tag: int  # start of the field
    start: int  # start of its value
    stop: int  # end of its value
    value: int  # the value of a varint; 0 for other wire types

    @property
    def size(self) -> int:
        """Size of its value in bytes."""
        return self.stop - self.start


class Message:
    """A file that contains one message, read through a window.

    Raises
    ------
    DamagedFileError
        By its methods, if bytes violate the wire format or are missing.
    """

    def __init__(self, source: FileSource, what: str, cancel: CancelToken | None = None) -> None:
        """Store the parameters; `what` is a noun with its article for messages."""
        self.source = source
        self.size = source.size
        self._what = what  # a noun with its article that describes the file
        self._cancel = cancel or CancelToken()
        self._at = 0
        self._window = b""
        self._fields = 0

    def damage_error(self, at: int, what: str) -> DamagedFileError:
        """Return the error for a violation at offset `at`; `what` is a clause."""
        return DamagedFileError(
            f"'{self.source.path}' is {self._what} that breaks a rule of its format: {what}, "
            f"at byte {at:,}.",
            remedy="Download or save it again.",
        )

    def cut_short(self, end: int) -> DamagedFileError:
        """Return the error for a file that should have at least `end` bytes."""
        missing = counted(end - self.size, "byte is", "bytes are")
        return DamagedFileError(
            f"'{self.source.path}' is truncated: at least {missing} missing.",
            remedy="The download or copy was interrupted: get the file again.",
        )

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes from `start` to `stop`."""
        first = start - self._at
        if first >= 0 and stop - self._at <= len(self._window):
            return self._window[first : stop - self._at]
        return self.source.read(start, stop - start)

    def text(self, field: WireField, most: int = 1 << 16) -> str:
        """Return the UTF-8 text of a field of at most `most` bytes.

        Raises `DamagedFileError` if it is longer or not UTF-8. The wire type is not checked.
        """
        if field.size > most:
            raise self.damage_error(
                field.tag, f"a name has {field.size:,} bytes, {most:,} are the most"
            )
        try:
            return self.read(field.start, field.stop).decode()
        except UnicodeDecodeError:
            raise self.damage_error(field.tag, "a name is not UTF-8 text") from None

    def fields(self, start: int = 0, stop: int | None = None) -> Iterator[WireField]:
        """Yield the fields between two offsets, by default those of the whole message.

        Values are not read, and fields in a field are not yielded. Raises `DamagedFileError` if a
        field extends past the end, or `Cancelled`.
        """
        end = self.size if stop is None else stop
        at = start
        while at < end:
            self._fields += 1
            if self._fields % _FIELDS_PER_CHECK == 0:
                self._cancel.check()
            field = self.field(at, end)
            if field.stop > end:
                if end == self.size:
                    raise self.cut_short(field.stop)
                raise self.damage_error(at, "a field is longer than the message that contains it")
            yield field
            at = field.stop

    def field(self, at: int, stop: int | None = None) -> WireField:
        """Return the field at offset `at`; its value may extend past `stop` or the end of the file.

        `stop` is the end of the enclosing field, by default that of the file. Raises
        `DamagedFileError` if its tag or length is invalid or incomplete.
        """
        end = self.size if stop is None else stop
        tag, first = self.varint(at, end)
        number, wire = tag >> 3, tag & 7
        value = 0
        if wire == LENGTH:
            size, first = self.varint(first, end)
            value_end = first + size
        elif wire == VARINT:
            value, value_end = self.varint(first, end)
        elif wire in {FIXED64, FIXED32}:
            value_end = first + (8 if wire == FIXED64 else 4)
        else:
            raise self.damage_error(at, f"a field is of wire type {wire}")
        if not 0 < number < 1 << 29:
            raise self.damage_error(at, f"a field has the invalid number {number:,}")
        return WireField(number, wire, at, first, value_end, value)

    def varints(self, field: WireField) -> Iterator[int]:
        """Yield the values of a field of repeated integers, packed or not, as unsigned integers.

        Raises `DamagedFileError` for other wire types.
        """
        if field.wire == VARINT:
            yield field.value
            return
        if field.wire != LENGTH:
            raise self.damage_error(field.tag, f"whole numbers are of wire type {field.wire}")
        at = field.start
        while at < field.stop:
            value, at = self.varint(at, field.stop)
            yield value

    def varint(self, at: int, stop: int) -> tuple[int, int]:
        """Return the unsigned 64-bit varint at offset `at` and the offset after it.

        Raises `DamagedFileError` if it does not end before `stop` or has more than 10 bytes.
        """
        first = at - self._at
        if first < 0 or first + _MAX_VARINT_BYTES > len(self._window):
            self._fill(at)
            first = 0
        window = self._window
        value = shift = 0
        for place in range(first, min(first + _MAX_VARINT_BYTES, first + stop - at, len(window))):
            byte = window[place]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF, at + place - first + 1
            shift += 7
        if stop == self.size and at + _MAX_VARINT_BYTES > stop:
            raise self.cut_short(stop + 1)
        raise self.damage_error(at, "a number does not end")

    def _fill(self, at: int) -> None:
        self._window = self.source.read(at, min(_WINDOW_BYTES, self.size - at))
        self._at = at


def varint_bytes(value: int) -> bytes:
    """Encode a non-negative integer as a varint, in as few bytes as possible."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def prefix(number: int, size: int) -> bytes:
    """Return the tag and length that precede the bytes of a field."""
    return varint_bytes(number << 3 | LENGTH) + varint_bytes(size)


Pieces = Callable[[], Iterator[bytes | memoryview]]


@dataclass(frozen=True)
class Splice:
    """A replacement of the bytes from `start` to `stop`."""

    start: int
    stop: int
    size: int  # number of the new bytes
    pieces: Pieces
    inside: tuple[WireField, ...] = ()  # the fields that contain it, the outermost first

    @classmethod
    def by_data(
        cls, start: int, stop: int, data: bytes, inside: tuple[WireField, ...] = ()
    ) -> Splice:
        """Return a replacement by `data`."""
        return cls(start, stop, len(data), lambda: iter((data,)), inside)

    @property
    def growth(self) -> int:
        """The number of bytes by which the file grows."""
        return self.size - (self.stop - self.start)


class SplicedFile:
    """A file with replacements, and with updated lengths of the fields that contain them."""

    def __init__(self, source: FileSource, splices: Iterable[Splice]) -> None:
        self._source = source
        self._splices = _add_length_splices(splices)
        self.nbytes = source.size + sum(splice.growth for splice in self._splices)

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Yield the bytes of the new file, in order, in pieces of any size. May be called again."""
        read, at = self._source.read, 0
        for splice in self._splices:
            yield from read_in_pieces(read, at, splice.start - at)
            yield from splice.pieces()
            at = splice.stop
        yield from read_in_pieces(read, at, self._source.size - at)


def _add_length_splices(splices: Iterable[Splice]) -> list[Splice]:
    """Return the splices and those of the lengths of the fields around them, in file order.

    Lengths are replaced even if they stay the same. The splices must not overlap.
    """
    done = list(splices)
    grown: dict[int, dict[WireField, int]] = {}
    parents: dict[WireField, tuple[WireField, ...]] = {}

    def grow(inside: tuple[WireField, ...], more: int) -> None:
        if inside:
            parents[inside[-1]] = inside[:-1]
            level = grown.setdefault(len(inside), {})
            level[inside[-1]] = level.get(inside[-1], 0) + more

    for splice in done:
        grow(splice.inside, splice.growth)
    while grown:
        for field, more in grown.pop(max(grown)).items():
            head = Splice.by_data(field.tag, field.start, prefix(field.number, field.size + more))
            done.append(head)
            grow(parents[field], more + head.growth)
    return sorted(done, key=lambda splice: (splice.start, splice.stop))
