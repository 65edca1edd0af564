"""What the metadata of a packed file says, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pruneapp.checkpoint.formats.headers_header_json import show
from pruneapp.checkpoint.formats.headers_safetensors_header import Header, RawTensor
from pruneapp.errors import DamagedFileError, JsonError, UnsupportedFileError
from pruneapp.json_codec import load_object

KEY = "pruneapp"
MASKS = "pruneapp-masks"
COMPACT = "pruneapp-compact"
VERSION = 1


def packed_format(metadata: Mapping[str, str]) -> str:
    """Return which of our layouts a safetensors file has; empty if none."""
    name = metadata.get("format", "")
    return name if name in {MASKS, COMPACT} and KEY in metadata else ""


class CompactLayout:
    """The tensors of the container by name, and what the metadata says of them.

    Parameters
    ----------
    header
        Of the container.
    path
        The file, for messages.
    start
        Byte of the file at which the data of the container begin.

    Raises
    ------
    DamagedFileError
        If the metadata is not what it should be.
    UnsupportedFileError
        If a newer version has written it.
    """

    def __init__(self, header: Header, path: str, start: int) -> None:
        self._path = path
        self._stored: dict[str, RawTensor] = {
            name: (name, dtype, shape, start + begin, start + end)
            for name, dtype, shape, begin, end in header.tensors
        }
        try:
            self.tree = load_object(header.metadata[KEY])
        except JsonError as error:
            raise self.damaged(f"in its metadata '{KEY}', {error.what}") from None
        version = self.tree.get("version")
        if type(version) is not int or version < 1:
            raise self.damaged(f"its metadata '{KEY}' has no version")
        if version > VERSION:
            raise UnsupportedFileError(
                f"'{path}' was written by a newer Pruneapp, in version {version:,} of its layout "
                f"(this one reads version {VERSION}).",
                remedy="Get the newest version of Pruneapp.",
            )

    def damaged(self, what: str) -> DamagedFileError:
        """Return the error that says what is wrong."""
        return DamagedFileError(
            f"'{self._path}' is not a valid file of Pruneapp: {what}.",
            remedy="Download or save it again.",
        )

    def stored(self, name: str, dtype: str) -> RawTensor:
        """Return what the container holds under a name, of a type; offsets are of the file."""
        found = self._stored.get(name)
        if found is None:
            raise self.damaged(f"it lacks '{show(name)}'")
        if found[1] != dtype:
            raise self.damaged(f"'{show(name)}' is of type {found[1]}, not {dtype}")
        return found

    def holds(self, name: str) -> bool:
        """Whether the container holds something under a name."""
        return name in self._stored

    def raw(self, name: str) -> RawTensor:
        """Return what the container holds under a name; offsets are of the file."""
        return self._stored[name]

    def shape(self, name: str, found: Any) -> tuple[int, ...]:
        """Return a shape, checked."""
        if (
            type(found) is not list
            or len(found) > 64
            or not all(type(extent) is int and 0 <= extent < 1 << 63 for extent in found)
        ):
            raise self.damaged(f"'{show(name)}' has no sound shape")
        numel = 1
        for extent in found:
            numel *= extent or 1  # an extent of 0 must not hide the others
        if numel >= 1 << 63:
            raise self.damaged(f"'{show(name)}' has more than 2^63 elements")
        return tuple(found)
