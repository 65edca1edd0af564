"""What a safetensors file says of itself that is compressed as a whole, without unpacking it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pruneapp.checkpoint.formats.safetensors import MAX_HEADER_BYTES
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import CheckpointError, JsonError
from pruneapp.json_codec import load_object

_ZSTD = b"\x28\xb5\x2f\xfd"


def is_packed(file: Path) -> bool:
    """Whether a file is compressed with zstd as a whole."""
    try:
        source = FileSource(file)  # which waits for no pipe
    except CheckpointError:
        return False
    with contextlib.closing(source):
        return source.size >= len(_ZSTD) and source.read(0, len(_ZSTD)) == _ZSTD


def metadata_inside(file: Path) -> dict[str, str] | None:
    """Return the metadata of the safetensors file that is compressed in another.

    None if there is none in it, or it cannot be unpacked so far.
    """
    import zstandard  # not for those who read no such file

    try:
        with (
            file.open("rb") as opened,
            zstandard.ZstdDecompressor().stream_reader(opened) as inside,
        ):
            length = int.from_bytes(inside.read(8), "little")
            if not 0 < length <= MAX_HEADER_BYTES:
                return None
            header = load_object(inside.read(length), str(file))
    except (OSError, zstandard.ZstdError, JsonError):
        return None
    found = header.get("__metadata__", {})
    if not isinstance(found, dict):
        return None
    return {key: text for key, text in found.items() if isinstance(text, str)}
