"""Reading what torch.save writes, without torch and without running what is in it."""

from __future__ import annotations

from pruneapp.checkpoint.contents import Reader
from pruneapp.checkpoint.torchfile import legacy_format, zip_format
from pruneapp.checkpoint.torchfile.legacy_format import read_legacy, recognises_legacy
from pruneapp.checkpoint.torchfile.zip_format import read_zip, recognises_zip

_SUFFIXES = (".pt", ".pth", ".bin", ".ckpt")

ZIP = Reader(zip_format.FORMAT, zip_format.LABEL, _SUFFIXES, recognises_zip, read_zip)
LEGACY = Reader(
    legacy_format.FORMAT,
    legacy_format.LABEL,
    (".th", *_SUFFIXES, ".tar"),
    recognises_legacy,
    read_legacy,
)

__all__ = ["LEGACY", "ZIP", "read_legacy", "read_zip", "recognises_legacy", "recognises_zip"]
