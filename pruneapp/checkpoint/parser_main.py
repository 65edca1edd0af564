"""The tasks and the entry point of the process that parses large headers."""

from __future__ import annotations

import gc
import marshal
import sys
import traceback

from pruneapp.checkpoint.formats import headers
from pruneapp.checkpoint.parser_client import Parsed, receive, send
from pruneapp.errors import PruneAppError
from pruneapp.progress import CancelToken

_ROWS_A_PIECE = 512


def _header_rows(text: bytes, path: str) -> Parsed:
    header = headers.parse(text, path)
    return header.tensors, (header.metadata, header.extras, header.data_bytes)


def _index_rows(text: bytes, path: str) -> Parsed:
    index = headers.parse_index_file(text, path)
    return list(index.weight_map.items()), (index.total_size,)


def _torch_rows(text: bytes, path: str) -> Parsed:
    """Return the rows of the headers of the torch file at `path`; see `to_contents.to_rows`.

    `text` is the marshalled name of the reader's format and key of the state dict or None. Raises
    `CheckpointError`.
    """
    from pruneapp.checkpoint.io.object_source import open_source
    from pruneapp.checkpoint.io.store import locate
    from pruneapp.checkpoint.torchfile import legacy_format, plain_pickle, zip_format
    from pruneapp.checkpoint.torchfile.to_contents import to_rows
    from pruneapp.checkpoint.torchfile.torch_objects import translate_errors

    reader, state_dict = marshal.loads(text)  # noqa: S302 - plain values, from our own process
    index = {
        zip_format.FORMAT: zip_format.index_file,
        legacy_format.FORMAT: legacy_format.index_stream,
        plain_pickle.FORMAT: plain_pickle.index_pickle,
    }[reader]
    source = open_source(locate(path))
    try:
        with translate_errors(source.path):
            return to_rows(index(source, state_dict, CancelToken()))
    finally:
        source.close()


def _infer_shapes(text: bytes, _path: str) -> Parsed:
    """Return no rows, and the model with inferred shapes and "", or b"" and the error message.

    `text` is marshalled: folders that are appended to `sys.path` to import onnx, and the model.
    Raises `ImportError` without the package onnx.
    """
    packages, model = marshal.loads(text)  # noqa: S302 - plain values, from our own process
    sys.path += [path for path in packages if path not in sys.path]
    import onnx
    import onnx.shape_inference
    from google.protobuf.message import DecodeError

    expected_errors = DecodeError, onnx.shape_inference.InferenceError, ValueError
    try:
        graph = onnx.load_model_from_string(model)
        found = onnx.shape_inference.infer_shapes(graph, data_prop=True)
        return [], (found.SerializeToString(), "")
    except expected_errors as error:
        return [], (b"", str(error) or type(error).__name__)


_TASKS = {
    "header": _header_rows,
    "index": _index_rows,
    "torch": _torch_rows,
    "shapes": _infer_shapes,
}


def parse_here(task: str, text: bytes, path: str) -> Parsed:
    """Run a task in the current process, if no other can be used."""
    return _TASKS[task](text, path)


def main() -> int:
    """Run one task as the parser process: read it from standard input, write to standard output.

    The input is a message with the task and the path of the file, then the bytes of the task until
    the end of the stream. The messages of the output are ("rows", list) in pieces, then ("rest",
    result); or ("error", fields) for errors of users, or ("bug", traceback) for all others. Always
    returns 0.
    """
    task, path = receive(sys.stdin.buffer)
    out = sys.stdout.buffer
    gc.disable()  # there is no garbage before the end, and the collector takes half of the time
    try:
        rows, rest = _TASKS[task](sys.stdin.buffer.read(), path)
        for start in range(0, len(rows), _ROWS_A_PIECE):
            send(out, ("rows", rows[start : start + _ROWS_A_PIECE]))
        send(out, ("rest", rest))
    except PruneAppError as error:
        names = (type(error).__name__, error.sentence, error.remedy, error.details)
        send(out, ("error", names))
    except Exception:  # noqa: BLE001 - the process boundary: bugs are reported to the window
        send(out, ("bug", traceback.format_exc()))
    out.flush()
    return 0
