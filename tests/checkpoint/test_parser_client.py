"""Large headers are parsed by a helper process, with the same result and the same errors."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time

import pytest

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.formats import headers
from pruneapp.checkpoint.parser_client import parse_header, parse_index
from pruneapp.errors import CheckpointError, DamagedFileError, UnrecognizedFileError
from pruneapp.progress import Cancelled, CancelToken, Job

LARGE_BYTES = 100_000
COUNT = 1_500


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setattr(parser_client, "LARGE_BYTES", LARGE_BYTES)


def large_header() -> bytes:
    tensors = {
        f"layers.{i}.weight": {"dtype": "U8", "shape": [1, 1], "data_offsets": [i, i + 1]}
        for i in range(COUNT)
    }
    text = json.dumps({"__metadata__": {"z": "ü", "a": "\n"}, **tensors}).encode()
    assert len(text) > LARGE_BYTES
    return text


def pieces(text: bytes, size: int = 5_000) -> list[bytes]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def test_the_helper_says_what_the_parser_says():
    text = large_header()
    found = parse_header(pieces(text), len(text), "x", Job())
    assert found == headers.parse(text, "x")


def test_errors_come_back_as_they_are():
    text = large_header()[:-2]
    with pytest.raises(DamagedFileError, match="'x' is not a valid safetensors file") as caught:
        parse_header(pieces(text), len(text), "x", Job())
    with pytest.raises(DamagedFileError) as expected:
        headers.parse(text, "x")
    assert str(caught.value) == str(expected.value)


def test_a_large_index_goes_through_the_helper():
    weight_map = {f"layers.{i}.weight": f"m-{i % 3}.safetensors" for i in range(3_000)}
    text = json.dumps({"metadata": {"total_size": 7}, "weight_map": weight_map}).encode()
    assert len(text) > LARGE_BYTES
    found = parse_index(pieces(text), len(text), "x", Job())
    assert found == headers.parse_index_file(text, "x")
    assert found.total_size == 7
    other = b'{"a":"' + b"x" * LARGE_BYTES + b'"}'
    with pytest.raises(UnrecognizedFileError, match="weight_map"):
        parse_index([other], len(other), "x", Job())


def test_cancelling_ends_the_helper_at_once():
    token = CancelToken()

    def endless():
        while True:
            yield b" " * 1000

    threading.Timer(0.2, token.cancel).start()
    start = time.perf_counter()
    with pytest.raises(Cancelled):
        parse_header(endless(), LARGE_BYTES + 1, "x", Job(cancel=token))
    assert time.perf_counter() - start < 5


def test_a_helper_that_dies_is_an_error_of_the_file(monkeypatch):
    monkeypatch.setattr(parser_client, "command", lambda: [sys.executable, "-c", "exit(3)"])
    text = large_header()
    with pytest.raises(CheckpointError, match=r"'x' crashed the process .* \(exit status 3\)"):
        parse_header(pieces(text), len(text), "x", Job())


def test_a_bug_in_the_helper_is_a_bug_here(monkeypatch):
    code = (
        "import sys; from pruneapp.checkpoint import parser_main as p;"
        "p._TASKS = {'header': None}; sys.exit(p.main())"
    )
    monkeypatch.setattr(parser_client, "command", lambda: [sys.executable, "-c", code])
    text = large_header()
    with pytest.raises(RuntimeError, match="TypeError"):
        parse_header(pieces(text), len(text), "x", Job())


def test_a_bundle_calls_itself_with_the_hidden_argument(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert parser_client.command() == [sys.executable, parser_client.HIDDEN_ARGUMENT]
    monkeypatch.delattr(sys, "frozen")
    forwarding = [sys.executable, "-m", "pruneapp", parser_client.HIDDEN_ARGUMENT]
    monkeypatch.setattr(parser_client, "command", lambda: forwarding)
    text = large_header()
    assert len(parse_header(pieces(text), len(text), "x", Job()).tensors) == COUNT


def test_the_helper_needs_the_standard_library_alone(tmp_path):
    """It starts in isolated mode, from any folder, without NumPy."""
    command = parser_client.command()
    assert command[1:4] == ["-I", "-S", "-c"]
    code = command[4].replace("sys.exit(p.main())", "print('numpy' in sys.modules)")
    out = subprocess.run(
        [*command[:4], code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (out.stdout.strip(), out.stderr) == ("False", "")


def test_without_a_process_the_header_is_parsed_here(monkeypatch):
    monkeypatch.setattr(parser_client, "command", lambda: ["/nowhere/python"])
    text = large_header()
    assert len(parse_header(pieces(text), len(text), "x", Job()).tensors) == COUNT
