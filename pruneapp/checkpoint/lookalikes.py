"""Files that are often mistaken for checkpoints, with an error and a remedy for each."""

from __future__ import annotations

import shlex
from pathlib import Path

from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import DamagedFileError, UnsupportedFileError

_UNPACK = "Unpack it first, then open the unpacked file."
_EXPAND = (
    "Unpack it with `pruneapp expand {packed} -o {out}`, or with any program for zstd (7-Zip, "
    "`zstd -d`), then open the unpacked file."
)
_AGAIN = "Download it again, from the link to the file itself."
_ORIGINAL = "Open the model that it was made from, prune it, and convert that again."
_OTHER = "Open a .safetensors file, a file that torch.save wrote, an ONNX model, or a model folder."


def save_in_python(tensors: str) -> str:
    """Return a remedy with Python code that saves `tensors`, an expression for a dict."""
    return (
        f"Save its tensors in Python: safetensors.numpy.save_file({tensors}, 'model.safetensors'), "
        "then open that file."
    )


KERAS = save_in_python("{v.path: v.numpy() for v in keras.models.load_model(FILE).variables}")
_FLAX = save_in_python(
    "flax.traverse_util.flatten_dict(flax.serialization.msgpack_restore(open(FILE, 'rb').read()), "
    "sep='.')"
)
_PADDLE = save_in_python("{name: t.numpy() for name, t in paddle.load(FILE).items()}")
_TENSORFLOW = save_in_python("{v.name: v.numpy() for v in tf.saved_model.load(FOLDER).variables}")

# Offset, magic bytes, description and remedy for each kind of file.
_MARKS: tuple[tuple[int, bytes, str, str], ...] = (
    (
        0,
        b"version https://git-lfs",
        "is a pointer of git-lfs, not the weights themselves",
        "Run `git lfs pull` in its folder, then open it again.",
    ),
    (0, b"\x1f\x8b", "is compressed with gzip", _UNPACK),
    (0, b"7z\xbc\xaf\x27\x1c", "is a 7-Zip archive", _UNPACK),
    (0, b"Rar!\x1a\x07", "is a RAR archive", _UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "is compressed with zstd", _EXPAND),
    (0, b"\xfd7zXZ\x00", "is compressed with xz", _UNPACK),
    (0, b"BZh", "is compressed with bzip2", _UNPACK),
    (
        257,
        b"ustar",
        "is a tar archive, as written by torch before version 0.1.10 or used to pack downloads",
        "Unpack it if it contains a checkpoint; else load it with an old torch and save it again.",
    ),
    (0, b"\x89HDF\r\n\x1a\n", "is an HDF5 file, as Keras writes them", KERAS),
    (4, b"TFL3", "is a TensorFlow Lite model", _ORIGINAL),
    (0, b"ARROW1", "is an Arrow file: a table of data, not a model", _OTHER),
    (0, b"PAR1", "is a Parquet file: a table of data, not a model", _OTHER),
    (0, b"%PDF", "is a PDF document", _OTHER),
    (0, b"\x89PNG", "is a picture", _OTHER),
    (0, b"\xff\xd8\xff", "is a picture", _OTHER),
    (0, b"SQLite format 3", "is an SQLite database", _OTHER),
    (0, b"#!", "is a script, which Pruneapp does not run", _OTHER),
)

# Formats without magic bytes, identified by their usual suffixes.
_SUFFIXES = {
    ".msgpack": ("is a Flax checkpoint", _FLAX),
    ".pdparams": ("is a PaddlePaddle checkpoint", _PADDLE),
    ".mlmodel": ("is a Core ML model", _ORIGINAL),
    ".engine": ("is a TensorRT engine", "Open the model that it was built from."),
    ".plan": ("is a TensorRT engine", "Open the model that it was built from."),
    ".pb": ("is a TensorFlow graph", _TENSORFLOW),
    ".tflite": ("is a TensorFlow Lite model", _ORIGINAL),
    ".ggml": ("is a GGML model", _ORIGINAL),
}


def explain(head: bytes, source: FileSource) -> None:
    """Raise an error that describes a file if it is a well-known kind that cannot be opened.

    It is identified by its first bytes, `head` (512, or all of a smaller file), and by its suffix.
    Raises `DamagedFileError` if the file is empty or begins with zeros only, else
    `UnsupportedFileError`. Returns None for all other files.
    """
    path = source.path
    if not head:
        raise DamagedFileError(
            f"'{path}' is empty.",
            remedy="The download or copy was interrupted: get the file again.",
        )
    for offset, magic, what, remedy in _MARKS:
        if head.startswith(magic, offset):
            _refuse(path, what, _with_names(remedy, path))
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        _refuse(path, "is a web page, not a checkpoint", _AGAIN)
    if b"PK\x03\x04" in head:
        _refuse(path, "has other data in front of a zip archive", "Get the file again.")
    if path.suffix.lower() in _SUFFIXES:
        _refuse(path, *_SUFFIXES[path.suffix.lower()])
    if not any(head):
        raise DamagedFileError(
            f"'{path}' begins with nothing but zeros.",
            remedy="The download was interrupted: get the file again.",
        )


def _with_names(remedy: str, path: Path) -> str:
    """Return a remedy with the quoted paths of the file and of the unpacked file filled in.

    Only `_EXPAND` has placeholders; any other remedy is returned unchanged. The unpacked path lacks
    ``.zst``, and gets ``-unpacked`` in its name if it exists already.
    """
    if remedy != _EXPAND:
        return remedy
    out = path.with_suffix("") if path.suffix.lower() == ".zst" else path
    if out.exists():  # usually the original, which must not be overwritten
        out = out.with_name(f"{out.stem}-unpacked{out.suffix}")
    return remedy.format(packed=shlex.quote(str(path)), out=shlex.quote(str(out)))


def _refuse(path: Path, what: str, remedy: str) -> None:
    raise UnsupportedFileError(f"'{path}' {what}.", remedy=remedy)
