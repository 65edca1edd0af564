"""The fast header scanner accepts only what the parser reads identically."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.formats import headers as headers_safetensors_header
from pruneapp.checkpoint.formats.headers import scan
from pruneapp.errors import DamagedFileError
from pruneapp.progress import Cancelled, CancelToken, Job

DTYPES = {"F32": 4, "BF16": 2, "U8": 1, "F64": 8}
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
plain = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\'), max_size=8
)


@st.composite
def headers(draw):
    """Draw a header as the reference writes it."""
    tree = {}
    if draw(st.booleans()):
        tree["__metadata__"] = draw(st.dictionaries(texts, texts, max_size=3))
    end = 0
    for name in draw(st.lists(plain, min_size=1, max_size=6, unique=True)):
        dtype = draw(st.sampled_from(sorted(DTYPES)))
        shape = draw(st.lists(st.integers(0, 5), max_size=3))
        begin, end = end, end + DTYPES[dtype]
        for extent in shape:
            end = begin + (end - begin) * extent
        tree[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()
    return text + b" " * draw(st.integers(0, 9))


def parsed(text: bytes) -> headers_safetensors_header.Header | None:
    try:
        return headers_safetensors_header.parse(text, "x")
    except DamagedFileError:
        return None


def read_in_pieces(text: bytes, size: int) -> list[bytes]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@given(headers(), st.integers(1, 400))
def test_a_header_of_the_reference_is_read_as_the_parser_reads_it(text, size):
    expected = parsed(text)
    assert expected is not None
    found = scan(read_in_pieces(text, 1000), Job())
    if b"\\u" in text:  # in the metadata: may be half a surrogate pair
        assert found is None
    else:
        assert found == expected
    # a window may end where the layout cannot be determined
    cut = scan(read_in_pieces(text, size), Job())
    assert cut is None or cut == expected


@given(headers(), st.data())
def test_what_the_parser_refuses_is_not_accepted(text, data):
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 3))
    put = data.draw(
        st.sampled_from([b"", b" ", b"0", b"}", b"{", b",", b'"', b"\\", b"-", b"\xff"])
    )
    text = text[:at] + put + text[at + length :]
    found = scan([text], Job())
    assert found is None or found == parsed(text)


@given(headers(), headers())
def test_two_headers_in_one_are_not_accepted(first, second):
    for text in (first + second, first.strip()[:-1] + b"," + second[1:], first + b"}" + second):
        found = scan([text], Job())
        assert found is None or found == parsed(text)


def test_many_tensors_are_read_in_windows():
    tensors = {
        f"layers.{i}.wéight": {"dtype": "U8", "shape": [1, 1], "data_offsets": [i, i + 1]}
        for i in range(5_000)
    }
    tree = {"__metadata__": {"a": '"\n}'}, **tensors}
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()
    expected = headers_safetensors_header.parse(text, "x")
    for size in (2_000, 20_000, 1 << 18, len(text)):
        assert scan(read_in_pieces(text, size), Job()) == expected


def test_ordinary_headers_need_no_process(monkeypatch):
    def refuse(*_args):
        pytest.fail("a process was asked for")

    monkeypatch.setattr(parser_client, "_run_in_process", refuse)
    monkeypatch.setattr(parser_client, "LARGE_BYTES", 100_000)
    text = json.dumps(
        {
            f"layers.{i}.weight": {"dtype": "U8", "shape": [1], "data_offsets": [i, i + 1]}
            for i in range(1_500)
        },
        separators=(",", ":"),
    ).encode()
    assert len(text) > parser_client.LARGE_BYTES
    found = parser_client.parse_header([text], len(text), "x", Job())
    assert found == headers_safetensors_header.parse(text, "x")


def test_cancelling_stops_it():
    text = b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8",'
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        scan([text], Job(cancel=token))


def test_no_more_is_read_than_can_be_used():
    asked = []

    def endless():
        while True:
            asked.append(1)
            yield b" " * 1000

    assert scan(endless(), Job()) is None
    assert len(asked) == 1
