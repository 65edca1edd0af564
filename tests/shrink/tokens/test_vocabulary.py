from __future__ import annotations

import json
import re

import numpy as np
import pytest
from tokenizers import Tokenizer as Library

from pruneapp.errors import CheckpointError
from pruneapp.progress import Job
from pruneapp.shrink.tokens.vocabulary import (
    TOKENIZER,
    cut_surplus,
    cut_tokens,
    read_vocabulary,
    surplus_rows,
)
from tests.support.tokenizer_files import bpe, tokenizer_json, word_piece

VOCAB = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "one": 6, "two": 7}
MERGES = ["a b", "b c", "ab c"]


def folder_of(path, data=None, **files):
    """Write a folder with tokenizer.json, and other files by name with a dot for the last ``_``."""
    data = data or tokenizer_json(bpe(VOCAB, MERGES), {"<s>": 8, "</s>": 9})
    (path / TOKENIZER).write_bytes(data)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        stem, _, suffix = name.rpartition("_")
        (path / f"{stem}.{suffix}").write_text(text, encoding="utf-8")
    return read_vocabulary(path, Job())


def cut(vocabulary, wanted=(), config=None, rows=12, multiple=1):
    ids = np.array(sorted(wanted), np.int64)
    return cut_tokens(vocabulary, config or {}, ids, rows, Job(), multiple=multiple)


@pytest.mark.parametrize(("rows", "surplus"), [(12, 2), (11, 1), (10, 0), (9, 0), (1, 0)], ids=str)
def test_rows_behind_the_last_id_are_surplus(tmp_path, rows, surplus):
    vocabulary = folder_of(tmp_path)
    assert vocabulary.last_id == 9
    assert surplus_rows(vocabulary, {}, rows) == surplus
    trailing = cut_surplus(vocabulary, {}, rows)
    assert trailing.kept.tolist() == list(range(rows - surplus))
    assert (trailing.promise, trailing.files, trailing.left_out) == ("exact", {}, ())


@pytest.mark.parametrize(("multiple", "kept"), [(1, 10), (4, 12), (8, 16), (16, 16), (64, 20)])
def test_some_surplus_rows_stay_for_a_multiple(tmp_path, multiple, kept):
    trailing = cut_surplus(folder_of(tmp_path), {}, 20, multiple=multiple)
    assert trailing.kept.tolist() == list(range(kept))


def test_rows_that_other_files_name_are_not_surplus(tmp_path):
    config = {"bos_token_id": 12, "pad_token_id": -1, "sep_token_id": 99}
    assert surplus_rows(folder_of(tmp_path), config, 20) == 7
    vocabulary = folder_of(tmp_path, generation_config_json={"eos_token_id": [2, 14]})
    assert surplus_rows(vocabulary, config, 20) == 5
    decoder = {"added_tokens_decoder": {"16": {"content": "<x>"}}}
    vocabulary = folder_of(tmp_path, tokenizer_config_json=decoder)
    assert surplus_rows(vocabulary, config, 20) == 3
    vocabulary = folder_of(tmp_path, added_tokens_json={"<y>": 17})
    assert vocabulary.later == (("<x>", 16), ("<y>", 17))
    assert surplus_rows(vocabulary, config, 20) == 2


def test_without_tokenizer_json_the_vocabulary_stays(tmp_path):
    with pytest.raises(CheckpointError, match=r"has no tokenizer.json, so its vocabulary"):
        read_vocabulary(tmp_path, Job())
    (tmp_path / "tokenizer.model").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"only 'tokenizer\.model', which cannot be shrunk"):
        read_vocabulary(tmp_path, Job())
    with pytest.raises(CheckpointError, match="cannot be read"):
        read_vocabulary(tmp_path / "nowhere", Job())


def test_rows_are_those_of_kept_tokens_in_their_order(tmp_path):
    chosen = cut(folder_of(tmp_path), [3, 7])
    assert chosen.kept.tolist() == [0, 1, 2, 3, 7, 8, 9]
    assert chosen.kept.dtype == np.int64
    assert chosen.new_ids.tolist() == [0, 1, 2, 3, -1, -1, -1, 4, 5, 6, -1, -1]
    assert chosen.promise == "exact for this text"
    library = Library.from_str(chosen.files[TOKENIZER].decode())
    assert library.get_vocab() == {"a": 0, "b": 1, "c": 2, "ab": 3, "two": 4, "<s>": 5, "</s>": 6}


def test_tokens_that_configurations_name_stay(tmp_path):
    config = {"eos_token_id": 4, "bos_token_id": 11, "sep_token_id": 12, "vocab_size": 12}
    generation = {"eos_token_id": [4, 6], "pad_token_id": -1}
    vocabulary = folder_of(tmp_path, generation_config_json=generation)
    chosen = cut(vocabulary, [], config)
    assert chosen.kept.tolist() == [0, 1, 2, 4, 6, 8, 9, 11]
    assert chosen.remap(config, "config.json") == {
        "eos_token_id": 3,
        "bos_token_id": 7,
        "sep_token_id": 12,
        "vocab_size": 12,
    }
    assert json.loads(chosen.files["generation_config.json"]) == {
        "eos_token_id": [3, 4],
        "pad_token_id": -1,
    }


@pytest.mark.parametrize(
    ("multiple", "kept"),
    [
        (1, [0, 1, 2, 8, 9]),
        (2, [0, 1, 2, 3, 8, 9]),
        (8, [0, 1, 2, 3, 4, 6, 8, 9]),
        (11, [*range(11)]),
        (64, [*range(12)]),
    ],
)
def test_more_tokens_stay_for_a_multiple(tmp_path, multiple, kept):
    chosen = cut(folder_of(tmp_path), multiple=multiple)
    assert chosen.kept.tolist() == kept
    Library.from_str(chosen.files[TOKENIZER].decode())


def test_tokens_after_those_of_the_tokenizer_count_for_a_multiple(tmp_path):
    vocabulary = folder_of(tmp_path, added_tokens_json={"<x>": 10})
    kept = cut(vocabulary, rows=20, multiple=4).kept.tolist()
    assert (len(kept), kept[-1]) == (8, 10)


def test_files_beside_have_the_new_ids(tmp_path):
    content = {"content": "<s>", "lstrip": False}
    vocabulary = folder_of(
        tmp_path,
        tokenizer_config_json={
            "added_tokens_decoder": {
                "8": content,
                "9": {"content": "</s>"},
                "10": {"content": "<x>"},
            },
            "tokenizer_class": "GPT2Tokenizer",
            "model_max_length": int(1e30),  # written by transformers for no limit
            "pad_token_id": 10,
        },
        added_tokens_json={"<s>": 8, "<x>": 10},
        vocab_json=VOCAB,
        merges_txt="#version: 0.2\na b\nb c\nab c\n",
        special_tokens_map_json={"bos_token": "<s>"},
    )
    chosen = cut(vocabulary, [3])
    assert chosen.kept.tolist() == [0, 1, 2, 3, 8, 9, 10]
    files = {name: data.decode() for name, data in chosen.files.items()}
    assert files.keys() == {
        TOKENIZER,
        "tokenizer_config.json",
        "added_tokens.json",
        "vocab.json",
        "merges.txt",
    }
    assert json.loads(files["tokenizer_config.json"]) == {
        "added_tokens_decoder": {"4": content, "5": {"content": "</s>"}, "6": {"content": "<x>"}},
        "tokenizer_class": "GPT2Tokenizer",
        "model_max_length": int(1e30),
        "pad_token_id": 6,
    }
    assert json.loads(files["added_tokens.json"]) == {"<s>": 4, "<x>": 6}
    assert json.loads(files["vocab.json"]) == {"a": 0, "b": 1, "c": 2, "ab": 3}
    assert files["merges.txt"] == "#version: 0.2\na b\n"
    assert (chosen.left_out, chosen.notices) == ((), ())


def test_a_vocab_txt_loses_the_same_lines(tmp_path):
    words = {"[UNK]": 0, "aa": 1, "b": 2, "##b": 3, "cc": 4, "x\u2028y": 5}
    lines = "\r\n".join(words)
    vocabulary = folder_of(tmp_path, tokenizer_json(word_piece(words)), vocab_txt=lines)
    chosen = cut(vocabulary, [4, 5])
    assert chosen.files["vocab.txt"].decode() == "[UNK]\nb\n##b\ncc\nx\u2028y\n"


def test_vocabularies_that_say_something_else_are_left_out_with_a_notice(tmp_path):
    (tmp_path / "tokenizer.model").write_bytes(b"")
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "spiece.model").write_bytes(b"")
    vocabulary = folder_of(
        tmp_path,
        tokenizer_json(bpe({**VOCAB, "a d": 8}, [*(m.split() for m in MERGES), ["a d", "b"]])),
        vocab_json={**VOCAB, "b": 2},
        vocab_txt="a\nb\n",
        merges_txt="a b\n",
    )
    chosen = cut(vocabulary, [3])
    assert chosen.left_out == ("vocab.json", "vocab.txt", "spiece.model", "tokenizer.model")
    assert len(chosen.notices) == 4
    assert chosen.notices[-1] == (
        "'tokenizer.model' is not written: it contains the vocabulary in a form that cannot be "
        "reduced. tokenizer.json contains everything that is needed."
    )
    assert chosen.files["merges.txt"] == b"a b\n"
    assert not {*chosen.left_out} & chosen.files.keys()


def test_merges_that_merges_txt_cannot_say_leave_it_out(tmp_path):
    vocabulary = folder_of(
        tmp_path,
        tokenizer_json(bpe({"a": 0, " ": 1, "a ": 2, "a a": 3}, [["a", " "], ["a ", "a"]])),
        merges_txt="whatever",
    )
    assert cut(vocabulary, [3]).left_out == ("merges.txt",)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"tokenizer_config_json": "["}, "tokenizer_config.json' is not JSON"),
        ({"tokenizer_config_json": []}, "is not a JSON object"),
        ({"tokenizer_config_json": {"added_tokens_decoder": {"x": {"content": "y"}}}}, "got 'x'"),
        ({"tokenizer_config_json": {"added_tokens_decoder": {"3": {}}}}, "'content' is missing"),
        (
            {"tokenizer_config_json": {"added_tokens_decoder": {"99999999": {"content": "x"}}}},
            "up to",
        ),
        ({"added_tokens_json": {"x": -1}}, "got -1"),
        ({"added_tokens_json": {"x": "y"}}, "expected an integer"),
        ({"generation_config_json": {"eos_token_id": "x"}}, "must be an id of a token"),
        ({"generation_config_json": "{}{"}, "is not JSON"),
        ({"vocab_json": {"x": []}}, "expected an integer"),
        ({"added_tokens_json": {"x": 11}}, "must follow those of the model without gaps"),
        ({"added_tokens_json": {"a": 3}}, "must follow those of the model without gaps"),
        (
            {"added_tokens_json": {"x": 12}},
            "has tokens up to the id 12, but the embedding has only",
        ),
    ],
)
def test_files_beside_that_are_something_else_are_refused(tmp_path, files, said):
    with pytest.raises(CheckpointError, match=re.escape(said)):
        cut(folder_of(tmp_path, **files), [3])


def test_an_embedding_of_fewer_rows_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="up to the id 9, but the embedding has only 9 rows"):
        cut(folder_of(tmp_path), [3], rows=9)
