"""Answers of two states of a language model to the same prompts."""

from __future__ import annotations

import importlib
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Answer, AnswerPair, ScriptRunner, as_on_disk
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.evaluation.test_recipes import tokenizer

WEIGHT = "lm_head.weight"
TEMPLATE = "{% for m in messages %}x {{ m['content'] }} y{% endfor %}"


def write_model(folder: Path, kind: str = "Llama") -> Path:
    """Write a language model of random weights with a tokenizer of one token per letter."""
    import torch
    import transformers

    torch.manual_seed(2)
    small = {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "vocab_size": 26,
        "max_position_embeddings": 32,
    }
    if kind == "Llama":
        config = transformers.LlamaConfig(
            **small, num_key_value_heads=2, bos_token_id=None, eos_token_id=25, pad_token_id=25
        )
        transformers.LlamaForCausalLM(config).save_pretrained(folder)
    elif kind == "Bart":
        config = transformers.BartConfig(
            vocab_size=26,
            d_model=16,
            max_position_embeddings=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            forced_eos_token_id=None,
            **{f"{name}_token_id": 25 for name in ("bos", "eos", "pad", "decoder_start")},
        )
        transformers.BartForConditionalGeneration(config).save_pretrained(folder)
    else:
        transformers.BertModel(transformers.BertConfig(**small)).save_pretrained(folder)
    tokenizer(folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return folder


@pytest.fixture
def runner():
    script = EvaluationScript.shipped(text=False)
    python = Interpreter(Path(sys.executable), "")
    with closing(ScriptRunner(script, python, Options(device="cpu"))) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("generation") / "model")


def test_two_states_answer_the_same_prompts(runner, folder):
    with open_checkpoint(folder) as checkpoint:
        numel = checkpoint.entry(WEIGHT).numel
        mask = BitMask.from_bools(np.zeros(numel, np.bool_))
        state = Snapshot(checkpoint).with_masks({"masks": {WEIGHT: mask}})
        prompts = ["a b c", "d e"]
        first = runner.generate(as_on_disk(state), prompts, Job(), tokens=8)
        again = runner.generate(as_on_disk(state), prompts, Job(), tokens=8, followed=first)
        other = runner.generate(state, prompts, Job(), tokens=8, followed=first)
        chat = runner.generate(as_on_disk(state), prompts, Job(), tokens=8, chat=True)
    assert all(0 < len(answer.ids) <= 8 for answer in first)
    assert [a.ids for a in again] == [a.ids for a in first]  # greedy decoding has no chance in it
    assert [a.same_next for a in again] == [len(a.ids) for a in first]
    assert [a.ids for a in other] != [a.ids for a in first]
    assert all(0 <= a.same_next < len(b.ids) for a, b in zip(other, first, strict=True))
    assert [a.ids for a in chat] != [a.ids for a in first]
    assert first[0].text == " ".join(first[0].text.split())  # a letter per token


def test_generation_can_be_cancelled(runner, folder):
    class Late(CancelToken):
        """Cancels when the model answers."""

    token = Late()

    class Report:
        def report(self, _done, _total, label):
            if label.startswith("generating: prompt"):
                token.cancel()

    with open_checkpoint(folder) as checkpoint:
        state = Snapshot(checkpoint)
        with pytest.raises(Cancelled):
            runner.generate(state, ["a"] * 50, Job(Report(), token), tokens=20)
        assert runner.generate(state, ["a"], Job(), tokens=2)  # the process is still usable


def test_a_prompt_that_is_too_long_is_refused(runner, folder):
    with open_checkpoint(folder) as checkpoint, pytest.raises(EvaluationError) as refused:
        runner.generate(Snapshot(checkpoint), ["a " * 40], Job(), tokens=2)
    assert str(refused.value).startswith("Prompt 1 has 40 tokens, and the model takes 32.")


def test_a_prompt_leaves_a_decoder_beside_an_encoder_its_whole_context(runner, tmp_path):
    folder = write_model(tmp_path / "bart", "Bart")
    with open_checkpoint(folder) as checkpoint:
        state = Snapshot(checkpoint)
        (short,) = runner.generate(state, ["a b"], Job(), tokens=20)
        (long,) = runner.generate(state, ["a " * 31], Job(), tokens=20)
        (again,) = runner.generate(state, ["a " * 31], Job(), tokens=20, followed=[long])
    assert len(short.ids) == len(long.ids) == again.same_next == 20


def test_an_encoder_generates_no_text(runner, tmp_path):
    folder = write_model(tmp_path / "bert", "Bert")
    with open_checkpoint(folder) as checkpoint, pytest.raises(EvaluationError) as refused:
        runner.generate(Snapshot(checkpoint), ["a"], Job(), tokens=2)
    assert str(refused.value).startswith("A model of the class BertModel generates no text.")


def test_tokens_in_common():
    original = Answer((1, 2, 3, 4, 5), ("a", "b", "c", "d", "e"))
    pair = AnswerPair("p", original, Answer((1, 9, 3, 4), ("a", "x", "c", "d")))
    assert pair.common == ((0, 0, 1), (2, 2, 2))
    assert (pair.n_common, pair.n_tokens) == (3, 5)
    assert pair.other.text == "axcd"


class _Bytes:
    """A tokenizer with one token per byte."""

    def decode(self, ids, **_how):
        return bytes(ids).decode("utf-8", errors="replace")


def test_a_character_of_several_tokens_belongs_to_the_last_of_them(monkeypatch):
    from pruneapp import resources

    monkeypatch.syspath_prepend(str(resources.path("pruneapp_worker").parent))
    generation = importlib.import_module("pruneapp_worker.generation")
    assert generation.pieces_of(_Bytes(), list("aé!".encode())) == ["a", "", "é", "!"]
    assert "".join(generation.pieces_of(_Bytes(), list("é".encode())[:1])) == "\ufffd"
