from __future__ import annotations

import pytest

from pruneapp.errors import UnsupportedFileError
from pruneapp.shrink.tokens.vocabulary import named_ids, remap_ids

CONFIG = {
    "model_type": "whisper",
    "vocab_size": 60,
    "hidden_size": 10,
    "bos_token_id": 10,
    "eos_token_id": [11, 12],
    "pad_token_id": -1,
    "sep_token_id": None,
    "cls_token_id": 50256,
    "image_token_index": 13,
    "stop_token_ids": [14],
    "codebook_pad_token_id": 2,
    "suppress_tokens": [15, 16],
    "begin_suppress_tokens": [17],
    "bad_words_ids": [[18, 19], [20]],
    "force_words_ids": [[[21]], [22]],
    "forced_decoder_ids": [[1, 23], [2, None]],
    "sequence_bias": [[[24, 25], -0.5]],
    "lang_to_id": {"<|en|>": 26},
    "text_config": {"bos_token_id": 27, "vocab_size": 60},
    "vision_config": {"pad_token_id": 1},
    "task_specific_params": {"summarization": {"forced_bos_token_id": 28, "length": 3}},
}


def test_every_id_of_a_token_is_found_and_nothing_else():
    named = {-1, *range(10, 29), 50256}
    assert named_ids(CONFIG, "config.json") == named


def test_ids_are_written_anew_and_the_rest_stays():
    new = {old: old - 10 for old in range(10, 60)}
    changed = remap_ids(CONFIG, new, 60, "config.json")
    assert named_ids(changed, "config.json") == {-1, *range(19), 50256}
    assert changed["forced_decoder_ids"] == [[1, 13], [2, None]]
    assert changed["sequence_bias"] == [[[14, 15], -0.5]]
    assert changed["lang_to_id"] == {"<|en|>": 16}
    assert changed["text_config"] == {"bos_token_id": 17, "vocab_size": 60}
    assert changed["task_specific_params"]["summarization"]["length"] == 3
    for key in ("model_type", "vocab_size", "codebook_pad_token_id", "vision_config"):
        assert changed[key] == CONFIG[key]
    assert list(changed) == list(CONFIG)
    assert CONFIG["bos_token_id"] == 10


def test_an_id_whose_token_is_gone_is_refused_with_its_place():
    with pytest.raises(
        UnsupportedFileError, match=r"config.json', at bad_words_ids\[0\]\[1\]: .* 19"
    ):
        remap_ids(CONFIG, {old: old for old in range(60) if old != 19}, 60, "config.json")


@pytest.mark.parametrize(
    "config",
    [
        {"eos_token_id": "2"},
        {"eos_token_id": True},
        {"eos_token_id": [2.0]},
        {"forced_decoder_ids": {"1": 2}},
        {"forced_decoder_ids": [[1]]},
        {"sequence_bias": [3]},
    ],
)
def test_what_is_no_id_is_refused(config):
    with pytest.raises(UnsupportedFileError, match="must be an id of a token, or a list of them"):
        named_ids(config, "config.json")
