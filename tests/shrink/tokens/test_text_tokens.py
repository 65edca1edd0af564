from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library

from pruneapp.errors import CheckpointError, ExportError, ParameterError
from pruneapp.progress import Cancelled, Job
from pruneapp.shrink.tokens import text_tokens
from pruneapp.shrink.tokens.text_tokens import check_segmentation, read_ids, tokens_of
from pruneapp.shrink.tokens.tokenizer import parse_tokenizer
from pruneapp.shrink.tokens.vocabulary import (
    TOKENIZER,
    Vocabulary,
    VocabularyCut,
    cut_tokens,
    read_vocabulary,
)
from tests.support.cancel_checks import CountingToken
from tests.support.tokenizer_files import (
    DOCS,
    GUIDE,
    KINDS,
    bpe,
    tokenizer_json,
    trained,
    unigram,
    word_piece,
)


def cut_for(data: bytes, *texts) -> tuple[VocabularyCut, Library, Library]:
    """Return the cut for texts, and the library's tokenizers before and after."""
    tokenizer = parse_tokenizer(data, "tokenizer.json", Job())
    wanted = tokens_of(tokenizer, texts, Job())
    vocabulary = Vocabulary(tokenizer, (), {}, ())
    cut = cut_tokens(vocabulary, {}, wanted, tokenizer.last_id + 1, Job())
    check_segmentation(tokenizer, cut, texts, Job())
    small = Library.from_str(cut.files[TOKENIZER].decode())
    assert cut.kept.size == small.get_vocab_size()
    return cut, Library.from_str(data.decode()), small


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_segmented_as_before(kind):
    cut, before, after = cut_for(trained(kind), GUIDE)
    assert 600 < cut.kept.size < before.get_vocab_size()
    text = GUIDE.read_text("utf-8")
    lines = [text, *text.splitlines()]
    assert len(lines) > 200
    for line in lines:
        old, new = before.encode(line), after.encode(line)
        assert new.tokens == old.tokens
        assert cut.kept[new.ids].tolist() == old.ids
        assert after.decode(new.ids) == before.decode(old.ids)


@pytest.mark.parametrize("kind", ["BPE", "Unigram"])
def test_other_text_comes_back_as_before_in_more_tokens(kind):
    _, before, after = cut_for(trained(kind), GUIDE)
    lines = (DOCS / "reliability.md").read_text("utf-8").splitlines()
    old, new = before.encode_batch(lines), after.encode_batch(lines)
    assert [after.decode(one.ids) for one in new] == [before.decode(one.ids) for one in old]
    lengths = sum(len(one) for one in old), sum(len(one) for one in new)
    assert lengths[0] < lengths[1] < 1.6 * lengths[0]


@pytest.mark.parametrize("kind", KINDS)
def test_added_tokens_and_those_around_a_text_have_their_new_ids(kind):
    _, before, after = cut_for(trained(kind), GUIDE)
    old, new = before.encode("a model"), after.encode("a model")
    assert new.tokens == old.tokens
    assert after.get_added_tokens_decoder().keys() != before.get_added_tokens_decoder().keys()
    assert {token.content for token in after.get_added_tokens_decoder().values()} == {
        token.content for token in before.get_added_tokens_decoder().values()
    }


def test_what_the_file_says_of_truncation_hides_no_token(tmp_path):
    data = json.loads(trained("BPE"))
    data["truncation"] = {
        "direction": "Right",
        "max_length": 2,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    full = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    short = parse_tokenizer(json.dumps(data).encode(), "tokenizer.json", Job())
    path = tmp_path / "text.txt"
    path.write_text("which weights are pruned, and why")
    assert np.array_equal(tokens_of(short, [path], Job()), tokens_of(full, [path], Job()))


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_a_text_hide_no_token_of_the_whole(kind, monkeypatch):
    data = trained(kind)
    tokenizer = parse_tokenizer(data, "tokenizer.json", Job())
    library = Library.from_str(data.decode())
    whole = set(library.encode(GUIDE.read_text("utf-8")).ids)
    at_once = tokens_of(tokenizer, [GUIDE], Job())
    monkeypatch.setattr(text_tokens, "_PIECE", 701)
    monkeypatch.setattr(text_tokens, "_OVERLAP", 97)
    read_in_pieces = tokens_of(tokenizer, [GUIDE], Job())
    assert whole <= set(read_in_pieces.tolist())
    assert set(at_once.tolist()) <= set(read_in_pieces.tolist())
    assert read_in_pieces.size < 1.05 * at_once.size


def test_wordpiece_keeps_what_it_found_before_it_gave_up(tmp_path):
    # 'abd' is unknown, because no token matches after 'ab'. Without 'ab' it would be 'a ##bd'.
    vocab = ["[UNK]", "a", "##b", "ab", "##bd", "x", "ac"]
    data = tokenizer_json(
        word_piece({token: number for number, token in enumerate(vocab)}),
        {"[UNK]": 0},
        normalizer={"type": "Lowercase"},
        pre_tokenizer={"type": "Whitespace"},
    )
    path = tmp_path / "text.txt"
    path.write_text("ABD xbd\n")
    cut, _, after = cut_for(data, path)
    assert after.get_vocab().keys() == {"[UNK]", "a", "##b", "ab", "##bd", "x"}
    assert after.encode("ABD xbd").tokens == ["[UNK]", "x", "##bd"]
    assert cut.kept.tolist() == [0, 1, 2, 3, 4, 5]


def test_unigram_keeps_the_worst_piece_which_says_what_an_unknown_character_costs(tmp_path):
    # Without 'worst', 'zb' would be worse than an unknown 'z' followed by the piece 'b'.
    pieces = [("<unk>", 0.0), ("b", -1.0), ("zb", -20.0), ("worst", -40.0), ("bb", -3.0)]
    data = tokenizer_json(unigram(pieces))
    path = tmp_path / "text.txt"
    path.write_text("zbb")
    cut, _, after = cut_for(data, path)
    assert after.encode("zbb").tokens == ["zb", "b"]
    assert cut.kept.tolist() == [0, 1, 2, 3]


TEXTS = st.lists(st.text("abcd ", max_size=12), min_size=1, max_size=4).map("\n".join)
WORDS = st.lists(st.text("abcd", min_size=1, max_size=4), unique=True, max_size=14)


@st.composite
def bpe_files(draw):
    tokens = list("abcd")
    merges = []
    for _ in range(draw(st.integers(0, 14))):
        pair = [draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))]
        if pair in merges or len("".join(pair)) > 8:
            continue
        merges.append(pair)
        if "".join(pair) not in tokens:
            tokens.append("".join(pair))
    tokens += [word for word in draw(WORDS) if word not in tokens]
    tokens = draw(st.permutations(tokens))
    listed = [" ".join(pair) for pair in merges] if draw(st.booleans()) else merges
    return tokenizer_json(
        bpe(
            {token: number for number, token in enumerate(tokens)},
            listed,
            ignore_merges=draw(st.booleans()),
        ),
        {"<end>": len(tokens)},
        pre_tokenizer={"type": "Whitespace"} if draw(st.booleans()) else None,
    )


@st.composite
def unigram_files(draw):
    pieces = [(word, draw(st.integers(-30, -1)) / 2) for word in draw(WORDS)]
    return tokenizer_json(unigram([("<unk>", 0.0), *pieces]), {"<end>": 1 + len(pieces)})


@st.composite
def word_piece_files(draw):
    words = ["[UNK]", *draw(WORDS), *("##" + word for word in draw(WORDS))]
    return tokenizer_json(
        word_piece({word: number for number, word in enumerate(words)}),
        {"[UNK]": 0, "<end>": len(words)},
        pre_tokenizer={"type": "Whitespace"},
    )


@pytest.fixture(scope="module")
def text_file(tmp_path_factory):
    return tmp_path_factory.mktemp("texts") / "text.txt"


@given(data=bpe_files() | unigram_files() | word_piece_files(), text=TEXTS)
def test_any_vocabulary_makes_the_same_of_the_text_it_was_cut_for(text_file, data, text):
    text_file.write_text(text)
    cut, before, after = cut_for(data, text_file)
    for line in [text, *text.splitlines()]:
        old, new = before.encode(line), after.encode(line)
        assert new.tokens == old.tokens
        assert cut.kept[new.ids].tolist() == old.ids
    assert sorted(after.get_vocab().values()) == list(range(cut.kept.size))


def test_a_tokenizer_that_makes_other_tokens_is_refused(tmp_path):
    tokenizer = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    path = tmp_path / "text.txt"
    path.write_text("a line\nthe weights\n")
    vocabulary = Vocabulary(tokenizer, (), {}, ())
    nothing = np.empty(0, np.int64)
    cut = cut_tokens(vocabulary, {}, nothing, tokenizer.last_id + 1, Job())
    with pytest.raises(ExportError, match=r"would tokenize '.*text.txt' differently, at line 1"):
        check_segmentation(tokenizer, cut, [path], Job())
    (tmp_path / "other.txt").write_text("")
    check_segmentation(tokenizer, cut, [tmp_path / "other.txt"], Job())
    renumbered = dataclasses.replace(cut, kept=cut.kept[::-1])
    path.write_text("a")
    with pytest.raises(ExportError, match=r"tokenize .* differently"):
        check_segmentation(tokenizer, renumbered, [path], Job())


def test_without_the_library_a_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    tokenizer = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    with pytest.raises(ParameterError, match=r"pip install 'pruneapp\[tokenizers\]'"):
        tokens_of(tokenizer, [GUIDE], Job())


def test_the_library_is_imported_nowhere_else():
    package = Path(text_tokens.__file__).parents[1]
    found = [
        path.name
        for path in package.rglob("*.py")
        if re.search(r"^\s*(?:import|from) tokenizers\b", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert found == ["text_tokens.py"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"good \xff", "must be UTF-8 text, but is not at byte 5"),
        (b"half \xe2\x82", "must be UTF-8 text, but is not at byte 5"),
        (None, "cannot be read: no such file or directory"),
        ("folder", "is not a regular file"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, content, said):
    path = tmp_path / "text.txt"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    tokenizer = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    with pytest.raises(CheckpointError, match=said):
        tokens_of(tokenizer, [path], Job())


def test_a_word_that_the_library_joins_across_a_space_is_seen(tmp_path):
    # Without an unknown token BPE skips the space, and merges across it.
    data = tokenizer_json(bpe({"b": 0, "d": 1, "bd": 2}, ["b d"]))
    path = tmp_path / "text.txt"
    path.write_text("b d")
    assert tokens_of(parse_tokenizer(data, "here", Job()), [path], Job()).tolist() == [2]


def test_a_letter_across_two_pieces_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(text_tokens, "_PIECE", 3)
    path = tmp_path / "text.txt"
    path.write_text("aé€😀é")
    assert "".join(text for text, _ in text_tokens._pieces(path, Job())) == "aé€😀é"
    path.write_bytes("aé€😀é".encode() + b"\xff")
    with pytest.raises(CheckpointError, match="at byte 12"):
        list(text_tokens._pieces(path, Job()))


def test_a_file_that_the_library_cannot_use_is_refused():
    data = tokenizer_json(unigram([("<unk>", 0.0), ("a", -1.0)]), normalizer={"type": "Nonsense"})
    tokenizer = parse_tokenizer(data, "here/tokenizer.json", Job())
    with pytest.raises(CheckpointError, match=r"cannot use 'here/tokenizer\.json'"):
        tokens_of(tokenizer, [GUIDE], Job())
    data = tokenizer_json({**unigram([("a", -1.0)]), "unk_id": None})
    tokenizer = parse_tokenizer(data, "here/tokenizer.json", Job())
    with pytest.raises(CheckpointError, match=r"cannot use 'here/tokenizer\.json'"):
        tokens_of(tokenizer, [GUIDE], Job())


def test_counting_is_cancelled_between_pieces_and_says_how_far_it_is():
    tokenizer = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    with pytest.raises(Cancelled):
        tokens_of(tokenizer, [GUIDE], Job(cancel=CountingToken(cancelled_at=4)))

    seen = []

    class Reports:
        def report(self, done, total, label):
            seen.append((done, total, label))

    tokens_of(tokenizer, [GUIDE], Job(Reports()))
    size = GUIDE.stat().st_size
    assert seen[-1] == (size, size, "guide.md")
    assert len(seen) > size >> 14


def test_a_list_of_ids_has_single_ones_and_ranges(tmp_path):
    tokenizer = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    path = tmp_path / "ids.txt"
    path.write_text("17\n\n 3 \r\n20-23\n22 - 25\n0")
    assert read_ids(path, tokenizer, Job()).tolist() == [0, 3, 17, 20, 21, 22, 23, 24, 25]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("the", "line 2: it must contain an id such as 17, or a range such as 20-31, got 'the'"),
        ("9-3", "line 2: it must contain"),
        ("-3", "line 2: it must contain"),
        ("3-", "line 2: it must contain"),
        ("٣", "line 2: it must contain"),
        ("9" * 5000, "line 2: it must contain"),
        ("5-3002", "line 2: the tokenizer has ids up to 3,001, got 3,002"),
        ("\0", "line 2: it must contain"),
    ],
)
def test_a_list_of_something_else_is_refused(tmp_path, line, said):
    tokenizer = parse_tokenizer(trained("BPE"), "tokenizer.json", Job())
    path = tmp_path / "ids.txt"
    path.write_text(f"1\n{line}\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=said):
        read_ids(path, tokenizer, Job())


@pytest.mark.parametrize(
    ("kind", "reader"),
    [("BPE", "GPT2Tokenizer"), ("Unigram", "T5Tokenizer"), ("WordPiece", "BertTokenizer")],
)
def test_the_readers_of_transformers_make_the_same_of_the_text(tmp_path, kind, reader):
    from transformers import AutoTokenizer

    before, after = tmp_path / "before", tmp_path / "after"
    data = json.loads(trained(kind))
    decoder = {str(token.pop("id")): token for token in [dict(one) for one in data["added_tokens"]]}
    config = {"tokenizer_class": reader, "added_tokens_decoder": decoder}
    before.mkdir()
    after.mkdir()
    (before / TOKENIZER).write_bytes(trained(kind))
    (before / "tokenizer_config.json").write_text(json.dumps(config))
    for folder in (before, after):
        (folder / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    vocabulary = read_vocabulary(before, Job())
    wanted = tokens_of(vocabulary.tokenizer, [GUIDE], Job())
    cut = cut_tokens(vocabulary, {}, wanted, 3010, Job(), multiple=8)
    for name, content in cut.files.items():
        (after / name).write_bytes(content)
    old, new = AutoTokenizer.from_pretrained(before), AutoTokenizer.from_pretrained(after)
    lines = GUIDE.read_text("utf-8").splitlines()
    ids = new(lines)["input_ids"]
    assert [cut.kept[one].tolist() for one in map(np.int64, ids)] == old(lines)["input_ids"]
    assert [*map(new.convert_ids_to_tokens, ids)] == [
        old.convert_ids_to_tokens(one) for one in old(lines)["input_ids"]
    ]
