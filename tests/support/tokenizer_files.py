"""Tokenizers trained on the documentation, and files of very small ones."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = DOCS / "guide.md"
KINDS = ("BPE", "Unigram", "WordPiece")


@cache
def trained(kind: str) -> bytes:
    """Return a tokenizer.json with 3,000 tokens, trained on the pages in docs/."""
    if kind == "BPE":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=3000,
            special_tokens=["<pad>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        after: Any = processors.ByteLevel(trim_offsets=False)
        ends = ["<|end|>", "<|more|>"]
    elif kind == "Unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=3000,
            special_tokens=["<s>", "</s>", "<unk>"],
            unk_token="<unk>",
            shrinking_factor=0.3,  # in few coarse steps, which takes 2 s less
            n_sub_iterations=1,
            show_progress=False,
        )
        after = processors.TemplateProcessing(
            single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
        )
        ends = ["<extra_0>", "<extra_1>"]
    else:
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(
            vocab_size=3000,
            special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
            show_progress=False,
        )
        after = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        ends = ["[MORE]"]
    lines = [
        line for page in sorted(DOCS.glob("*.md")) for line in page.read_text("utf-8").split("\n")
    ]
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_special_tokens(ends)
    tokenizer.post_processor = after
    return tokenizer.to_str().encode()


def tokenizer_json(
    model: dict[str, Any], added: dict[str, int] | None = None, **more: Any
) -> bytes:
    """Return a tokenizer.json in the format of the tokenizers library."""
    tokens = [
        {
            "id": number,
            "content": content,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for content, number in (added or {}).items()
    ]
    tree = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": model,
    }
    return json.dumps({**tree, **more}, ensure_ascii=False).encode()


def bpe(vocab: dict[str, int], merges: list[Any], **more: Any) -> dict[str, Any]:
    """Return a BPE model."""
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": merges,
        **more,
    }


def word_piece(vocab: dict[str, int]) -> dict[str, Any]:
    """Return a WordPiece model."""
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": vocab,
    }


def unigram(pieces: list[tuple[str, float]], unk_id: int = 0) -> dict[str, Any]:
    """Return a Unigram model."""
    return {"type": "Unigram", "unk_id": unk_id, "vocab": pieces, "byte_fallback": False}
