"""Protobuf messages are read and edited with the same result as by the protobuf package."""

from __future__ import annotations

import onnx
import pytest

from pruneapp.checkpoint.formats import protobuf
from pruneapp.checkpoint.formats.onnx import read_layout
from pruneapp.checkpoint.formats.protobuf import Message, Splice, SplicedFile, prefix, varint_bytes
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.errors import DamagedFileError
from pruneapp.progress import Job
from tests.support.onnx_models import save, small_network


@pytest.fixture
def message(tmp_path):
    opened = []

    def make(data: bytes) -> Message:
        path = tmp_path / f"{len(opened)}"
        path.write_bytes(data)
        opened.append(FileSource(path))
        return Message(opened[-1], "a message")

    yield make
    for source in opened:
        source.close()


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 1 << 32, (1 << 64) - 1])
def test_a_number_comes_back(value, message):
    data = varint_bytes(value)
    assert message(data).varint(0, len(data)) == (value, len(data))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x0a\x05ab", "3 bytes are missing"),
        (b"\x08", "missing"),
        (b"\x0b", "wire type 3"),
        (b"\x00\x00", "has the invalid number 0"),
        (b"\x08" + b"\xff" * 10 + b"\x01\x01", "does not end"),
    ],
)
def test_what_breaks_the_format_is_refused(data, says, message):
    with pytest.raises(DamagedFileError, match=says):
        list(message(data).fields())


def test_a_field_longer_than_the_one_around_it_is_refused(message):
    whole = message(b"\x0a\x02\x0a\x09" + bytes(40))
    (outer, *_) = whole.fields(0, 4)
    with pytest.raises(DamagedFileError, match="longer than the message that contains it"):
        list(whole.fields(outer.start, outer.stop))


@pytest.mark.parametrize("window", [16, 1 << 16])
def test_splices_at_any_depth_change_all_lengths_around_them(window, tmp_path, monkeypatch):
    monkeypatch.setattr(protobuf, "_WINDOW_BYTES", window)
    model = small_network()
    path = save(model, tmp_path / "m.onnx")
    source = FileSource(path)
    layout = read_layout(source, Job())
    splices = []
    for number, stored in enumerate(layout.tensors):
        inside = (*stored.inside, stored.field)
        data = bytes(4 * number * 50)
        new = prefix(stored.data.number, len(data)) + data
        splices.append(Splice.by_data(stored.data.tag, stored.data.stop, new, inside))
    spliced = SplicedFile(source, splices)
    written = b"".join(spliced.pieces())
    assert len(written) == spliced.nbytes
    for number, tensor in enumerate(model.graph.initializer):
        tensor.raw_data = bytes(4 * number * 50)
    assert onnx.load_model_from_string(written) == model
    source.close()
