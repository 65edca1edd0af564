"""Reading what torch.save writes, without torch and without running what is in it."""

from __future__ import annotations

from pruneapp.checkpoint.contract import Reader
from pruneapp.checkpoint.torchfile.legacy import read_legacy, recognises_legacy
from pruneapp.checkpoint.torchfile.zipped import read_zip, recognises_zip

ZIP = Reader("torch", "PyTorch", (".pt", ".pth", ".bin", ".ckpt"), recognises_zip, read_zip)
LEGACY = Reader(
    "torch-legacy",
    "PyTorch before 1.6",
    (".th", ".pt", ".pth", ".bin", ".ckpt", ".tar"),
    recognises_legacy,
    read_legacy,
)

__all__ = ["LEGACY", "ZIP", "read_legacy", "read_zip", "recognises_legacy", "recognises_zip"]
