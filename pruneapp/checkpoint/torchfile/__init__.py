"""Reading what torch.save writes, without torch and without running what is in it."""

from __future__ import annotations

from pruneapp.checkpoint.contract import Reader
from pruneapp.checkpoint.torchfile import legacy, zipped
from pruneapp.checkpoint.torchfile.legacy import read_legacy, recognises_legacy
from pruneapp.checkpoint.torchfile.zipped import read_zip, recognises_zip

_SUFFIXES = (".pt", ".pth", ".bin", ".ckpt")

ZIP = Reader(zipped.FORMAT, zipped.LABEL, _SUFFIXES, recognises_zip, read_zip)
LEGACY = Reader(
    legacy.FORMAT, legacy.LABEL, (".th", *_SUFFIXES, ".tar"), recognises_legacy, read_legacy
)

__all__ = ["LEGACY", "ZIP", "read_legacy", "read_zip", "recognises_legacy", "recognises_zip"]
