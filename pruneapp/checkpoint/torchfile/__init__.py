"""Read the files of torch.save, without torch and without running code in them."""

from __future__ import annotations

from pruneapp.checkpoint.contents import Reader
from pruneapp.checkpoint.torchfile import legacy_format, plain_pickle, zip_format

_SUFFIXES = (".pt", ".pth", ".bin", ".ckpt")

ZIP = Reader(
    zip_format.FORMAT,
    zip_format.LABEL,
    (*_SUFFIXES, ".pt2"),
    zip_format.recognises_zip,
    zip_format.read_zip,
)
LEGACY = Reader(
    legacy_format.FORMAT,
    legacy_format.LABEL,
    (".th", *_SUFFIXES, ".tar"),
    legacy_format.recognises_legacy,
    legacy_format.read_legacy,
)
PICKLE = Reader(
    plain_pickle.FORMAT,
    plain_pickle.LABEL,
    plain_pickle.SUFFIXES,
    plain_pickle.recognises_pickle,
    plain_pickle.read_pickle,
)
