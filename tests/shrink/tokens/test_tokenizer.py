from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library

from pruneapp.errors import CheckpointError
from pruneapp.progress import Cancelled, Job
from pruneapp.shrink.tokens.tokenizer import MAX_ID, parse_tokenizer
from tests.support.cancel_checks import CountingToken
from tests.support.tokenizer_files import KINDS, bpe, tokenizer_json, trained, unigram, word_piece

ABC = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "ca": 6, "rest": 7}
MERGES = ["a b", "b c", "ab c", "a bc", "c a"]


def parsed(model, added=None, **more):
    return parse_tokenizer(tokenizer_json(model, added, **more), "tokenizer.json", Job())


def ids_of(tokenizer, wanted):
    return np.flatnonzero(tokenizer.closure(np.array(wanted, np.int64), Job())).tolist()


def cut(tokenizer, wanted):
    """Return the JSON of a cut file, and the kept ids."""
    kept = tokenizer.closure(np.array(wanted, np.int64), Job())
    new_ids = np.where(kept, np.cumsum(kept) - 1, -1)
    data = tokenizer.cut(kept, new_ids, (), Job())
    return json.loads(data), np.flatnonzero(kept).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_id_is_that_of_the_library(kind):
    tokenizer = parse_tokenizer(trained(kind), "tokenizer.json", Job())
    library = Library.from_str(trained(kind).decode())
    assert tokenizer.kind == kind
    assert tokenizer.last_id == max(library.get_vocab().values())
    assert tokenizer.known.all()
    tokenizer.check_ids()


@pytest.mark.parametrize("kind", KINDS)
def test_keeping_everything_changes_nothing(kind):
    tokenizer = parse_tokenizer(trained(kind), "tokenizer.json", Job())
    tree, kept = cut(tokenizer, range(tokenizer.last_id + 1))
    assert kept == list(range(tokenizer.last_id + 1))
    assert tree == json.loads(trained(kind))


def test_bpe_keeps_all_that_a_token_can_be_made_of():
    tokenizer = parsed(bpe(ABC, MERGES))
    assert ids_of(tokenizer, []) == [0, 1, 2]
    assert ids_of(tokenizer, [3]) == [0, 1, 2, 3]
    assert ids_of(tokenizer, [5]) == [0, 1, 2, 3, 4, 5]
    assert ids_of(tokenizer, [7]) == [0, 1, 2, 7]
    assert ids_of(tokenizer, [7, 8, 5000]) == [0, 1, 2, 7]


@pytest.mark.parametrize("pairs", [False, True])
def test_merges_with_three_kept_parts_stay_in_their_form(pairs):
    merges = [merge.split(" ") for merge in MERGES] if pairs else MERGES
    tree, kept = cut(parsed(bpe(ABC, merges)), [4, 6])
    assert kept == [0, 1, 2, 4, 6]
    assert tree["model"]["vocab"] == {"a": 0, "b": 1, "c": 2, "bc": 3, "ca": 4}
    assert tree["model"]["merges"] == [merges[1], merges[4]]


def test_parts_of_words_are_known_by_prefix_and_suffix():
    vocab = {"a": 0, "##b": 1, "ab": 2, "##b</w>": 3, "ab</w>": 4, "x</w>": 5}
    tokenizer = parsed(
        bpe(
            vocab, ["a ##b", "a ##b</w>"], continuing_subword_prefix="##", end_of_word_suffix="</w>"
        )
    )
    assert ids_of(tokenizer, []) == [0, 1, 3, 5]
    assert tokenizer.merges.tolist() == [[0, 1, 2], [0, 3, 4]]


def test_bytes_and_unknown_tokens_stay():
    vocab = {"a": 0, "<0x0A>": 1, "<0xfe>": 2, "<0xgg>": 3, "<unk>": 4, "rest": 5}
    tokenizer = parsed(bpe(vocab, [], unk_token="<unk>", byte_fallback=True))
    assert ids_of(tokenizer, []) == [0, 1, 2, 4]
    pieces = parsed(unigram([("many", -1.0), ("<0x0A>", -9.0), ("<unk>", 0.0), ("few", -3.0)], 2))
    assert ids_of(pieces, []) == [1, 2]
    words = parsed(word_piece({"word": 0, "##ord": 1, "##o": 2, "w": 3, "[UNK]": 4, "#": 5}))
    assert ids_of(words, []) == [2, 3, 4, 5]


def test_the_unknown_piece_of_a_unigram_has_its_new_number():
    tree, kept = cut(parsed(unigram([("many", -1.0), ("a", -3.0), ("<unk>", 0.0)], 2)), [])
    assert kept == [1, 2]
    assert tree["model"]["unk_id"] == 1
    assert tree["model"]["vocab"] == [["a", -3.0], ["<unk>", 0.0]]


def test_a_piece_that_stands_there_twice_has_the_later_id():
    tokenizer = parsed(unigram([("<unk>", 0.0), ("many", -1.0), ("many", -2.0), ("few", -3.0)]))
    tree, kept = cut(tokenizer, [2])
    assert kept == [0, 2, 3]
    assert tree["model"]["vocab"] == [["<unk>", 0.0], ["many", -2.0], ["few", -3.0]]
    tree, _ = cut(parsed(unigram([("a", -1.0), ("a", -2.0)]), {"<end>": 2}), [])
    assert [token["id"] for token in tree["added_tokens"]] == [2]


PROCESSORS = {
    "type": "Sequence",
    "processors": [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [7, 5], "tokens": ["<s>", "x"]}},
        },
        {
            "type": "RobertaProcessing",
            "sep": ["</s>", 8],
            "cls": ["<s>", 7],
            "trim_offsets": True,
            "add_prefix_space": True,
        },
        {"type": "BertProcessing", "sep": ["</s>", 8], "cls": ["rest", 6]},
    ],
}


def test_ids_around_a_text_and_of_padding_stay_and_are_written_anew():
    vocab = {"a": 0, "one": 1, "two": 2, "pad": 3, "b": 4, "x1": 5, "rest": 6}
    padding = {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 3,
        "pad_type_id": 0,
        "pad_token": "pad",
    }
    tokenizer = parsed(
        bpe(vocab, []), {"<s>": 7, "</s>": 8}, padding=padding, post_processor=PROCESSORS
    )
    tree, kept = cut(tokenizer, [])
    assert kept == [0, 3, 4, 5, 6, 7, 8]
    _, template, roberta, bert = tree["post_processor"]["processors"]
    assert template["special_tokens"]["<s>"] == {"id": "<s>", "ids": [5, 3], "tokens": ["<s>", "x"]}
    assert (roberta["sep"], roberta["cls"]) == (["</s>", 6], ["<s>", 5])
    assert (bert["sep"], bert["cls"]) == (["</s>", 6], ["rest", 4])
    assert tree["padding"] == {**padding, "pad_id": 1}
    assert [token["id"] for token in tree["added_tokens"]] == [5, 6]
    Library.from_str(json.dumps(tree))


def test_more_tokens_fill_a_vocabulary_and_it_stays_closed():
    tokenizer = parsed(bpe({**ABC, "abca": 8}, [*MERGES, "abc a"]), {"<end>": 9})
    kept = tokenizer.closure(np.array([], np.int64), Job())
    sizes = [int(tokenizer.fill_up(kept, count, Job()).sum()) for count in range(13)]
    assert sizes == [4, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10]
    assert np.flatnonzero(tokenizer.fill_up(kept, 6, Job())).tolist() == [0, 1, 2, 3, 4, 9]
    for count in range(13):
        filled = tokenizer.fill_up(kept, count, Job())
        assert (tokenizer.closure(np.flatnonzero(filled), Job()) == filled).all()


@given(data=st.data())
def test_every_choice_is_closed_and_its_ids_are_dense(data):
    names = [*"abcd"]
    merges = []
    for _ in range(data.draw(st.integers(0, 12))):
        pair = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
        if list(pair) not in merges and len("".join(pair)) < 9:
            merges.append([*pair])
            names += ["".join(pair)] * ("".join(pair) not in names)
    numbers = data.draw(
        st.lists(st.integers(0, 40), min_size=len(names), max_size=len(names), unique=True)
    )
    vocab = dict(zip(names, numbers, strict=True))
    tokenizer = parsed(bpe(vocab, merges))
    wanted = data.draw(st.lists(st.sampled_from(numbers), unique=True))
    tree, kept = cut(tokenizer, wanted)
    left = tree["model"]["vocab"]
    assert sorted(left.values()) == list(range(len(kept)))
    assert {vocab[token] for token in left} == set(kept) >= set(wanted)
    assert [vocab[token] for token in sorted(left, key=left.get)] == kept
    for one, two in merges:
        if one + two in left:
            assert one in left
            assert two in left
        assert ([one, two] in tree["model"]["merges"]) == ({one, two, one + two} <= left.keys())


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (bpe(ABC, MERGES), "BPE"),
        (unigram([("a", -1.0)]), "Unigram"),
        (word_piece({"a": 0}), "WordPiece"),
    ],
)
def test_files_of_old_versions_do_not_name_their_type(model, kind):
    del model["type"]
    assert parsed(model).kind == kind


def test_ids_that_the_library_would_not_assign_are_refused():
    def check(vocab, added, later=()):
        parsed(bpe(vocab, []), added).check_ids(later)

    check({"a": 0, "b": 1}, {"<s>": 2, "b": 1, "</s>": 3}, [("<x>", 4)])
    check({"a": 0, "bb": 1}, {"": 2, "<s>": 2})
    for vocab, added, later in [
        ({"a": 0, "b": 1}, {"<s>": 3}, ()),
        ({"a": 0, "b": 1}, {"</s>": 3, "<s>": 2}, ()),
        ({"a": 0, "b": 1}, {"b": 2}, ()),
        ({"a": 0, "b": 5}, {"<s>": 6}, ()),
        ({"a": 0, "b": 1}, {"<s>": 2}, [("<x>", 4)]),
        ({"a": 0, "b": 1}, {"<s>": 2}, [("a", 3)]),
    ]:
        with pytest.raises(CheckpointError, match="must follow those of the model without gaps"):
            check(vocab, added, later)


def test_added_tokens_among_those_of_the_model_are_refused():
    # The library assigns 2; after the cut the model would have the ids 0, 1 and 3, which leaves no
    # id.
    tokenizer = parsed(bpe({"a": 0, "b": 5}, []), {"<s>": 2})
    tokenizer.check_ids()
    with pytest.raises(CheckpointError, match=r"has the id 1, but the library .* assigns 2"):
        cut(tokenizer, [])


def test_random_segmentation_and_ids_of_no_token_are_refused():
    with pytest.raises(CheckpointError, match=r"skips merges at random \(a dropout of 0.1\)"):
        parsed(bpe(ABC, MERGES, dropout=0.1)).check_ids()
    parsed(bpe(ABC, MERGES, dropout=0.0)).check_ids()
    with pytest.raises(CheckpointError, match="uses the id 12, which none of its tokens has"):
        parsed(bpe(ABC, MERGES), padding={"pad_id": 12}).check_ids()
    with pytest.raises(CheckpointError, match="uses the id 1, which"):
        parsed(bpe({"aa": 0, "bb": 2}, []), padding={"pad_id": 1}).check_ids()


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ([], "expected an object"),
        ({}, "the key 'model' is missing"),
        ({"model": 3}, "expected an object"),
        ({"model": {}}, "must be BPE, Unigram or WordPiece to be shrunk, got null"),
        ({"model": {"type": "WordLevel"}}, 'to be shrunk, got "WordLevel"'),
        ({"model": {"type": ["BPE"]}}, r'to be shrunk, got \["BPE"\]'),
        ({"model": {"type": "BPE"}}, "the key 'vocab' is missing"),
        ({"model": {"type": "BPE", "vocab": [], "merges": []}}, "expected an object"),
        ({"model": bpe({"a": -1}, [])}, "at least 0"),
        ({"model": bpe({"a": True}, [])}, "expected an integer"),
        ({"model": bpe({"a": 0.5}, [])}, "expected an integer"),
        ({"model": bpe({"a": MAX_ID + 1}, [])}, "at most"),
        ({"model": bpe({"a": 10**30}, [])}, "an integer that does not fit in 64 bits"),
        ({"model": bpe({"a": 0, "b": 0}, [])}, "gives the id 0 to both 'a' and 'b'"),
        ({"model": bpe({"a": 0}, [3])}, "expected a string"),
        ({"model": bpe({"a": 0}, [["a"]])}, "with 2 items"),
        ({"model": bpe({"a": 0}, ["ab"])}, "a merge must be two tokens with a space"),
        ({"model": bpe({"a": 0}, ["a b c"])}, "a merge must be two tokens with a space"),
        ({"model": bpe({"a": 0}, [" "])}, "a merge must be two tokens with a space"),
        ({"model": unigram([("a", "b")])}, "expected a number"),
        ({"model": unigram([["a"]])}, "with 2 items"),
        ({"model": word_piece({"a": 0}), "added_tokens": [{"id": 1}]}, "'content' is missing"),
        ({"model": word_piece({"a": 0}), "padding": {"pad_id": -1}}, "at least 0"),
        ({"model": word_piece({"a": 0}), "post_processor": {"type": "New"}}, "unknown type 'New'"),
        ({"model": word_piece({"a": 0}), "post_processor": []}, "expected an object"),
        (
            {"model": word_piece({"a": 0}), "post_processor": {"type": "TemplateProcessing"}},
            "expected an object",
        ),
        (
            {
                "model": word_piece({"a": 0}),
                "post_processor": {"type": "BertProcessing", "sep": [1, "x"], "cls": ["x", 1]},
            },
            "expected a string",
        ),
    ],
)
def test_files_of_something_else_are_refused(tree, said):
    with pytest.raises(CheckpointError, match=said):
        parse_tokenizer(json.dumps(tree).encode(), "tokenizer.json", Job())


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"[" * 9999, b'{"model": NaN}'])
def test_files_that_are_no_json_are_refused(data):
    with pytest.raises(CheckpointError, match=r"tokenizer\.json"):
        parse_tokenizer(data, "tokenizer.json", Job())


ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats(allow_nan=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(data=st.data(), kind=st.sampled_from(KINDS))
def test_a_file_with_anything_anywhere_is_cut_or_refused(data, kind):
    model = {
        "BPE": bpe(ABC, MERGES),
        "Unigram": unigram([("<unk>", 0.0), ("a", -1.0), ("bb", -2.0)]),
        "WordPiece": word_piece({"[UNK]": 0, "aa": 1, "b": 2}),
    }[kind]
    tree = json.loads(tokenizer_json(model, post_processor=PROCESSORS, padding={"pad_id": 1}))
    places = data.draw(st.integers(0, 3))
    for _ in range(places):
        at = tree
        while True:
            key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
            if isinstance(at[key], dict | list) and at[key] and data.draw(st.booleans()):
                at = at[key]
                continue
            at[key] = data.draw(ANY_JSON)
            break
    try:
        tokenizer = parse_tokenizer(json.dumps(tree).encode(), "tokenizer.json", Job())
        tokenizer.check_ids()
        small, kept = cut(tokenizer, [1])
    except CheckpointError:
        return
    again = parse_tokenizer(json.dumps(small).encode(), "tokenizer.json", Job())
    assert again.known.size == len(kept)
    assert again.known.all()


def test_reading_and_cutting_look_at_the_token():
    vocab = {f"{number:05}": number for number in range(10_000)}
    data = tokenizer_json(bpe(vocab, ["0 0"] * 10_000))
    token = CountingToken()
    tokenizer = parse_tokenizer(data, "tokenizer.json", Job(cancel=token))
    assert token.looks > 7
    with pytest.raises(Cancelled):
        parse_tokenizer(data, "tokenizer.json", Job(cancel=CountingToken(cancelled_at=5)))
    kept = tokenizer.closure(np.arange(10_000), Job())
    with pytest.raises(Cancelled):
        tokenizer.cut(kept, np.arange(10_000), (), Job(cancel=CountingToken(cancelled_at=2)))
