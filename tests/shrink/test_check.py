"""Checks by the class of transformers, in one process: accepted and refused models."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.evaluation.process import EvaluationError
from pruneapp.params import percent
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.shrink import check
from pruneapp.shrink.check import CheckError, CheckOptions, FolderChecker, check_folder
from pruneapp.shrink.cut import ShrinkError
from tests.reliability.evaluations import left_over
from tests.shrink import hand_cuts
from tests.shrink.tiny_models import TINY_MODELS, make

PYTHON = Path(sys.executable)
# Plain, tied, experts in three layouts, renamed modules, pixels, audio, two stacks.
SAMPLE = ("bert", "llama_tied", "mixtral", "gpt_oss", "granitemoe", "vit", "swin", "wav2vec2", "t5")
KEPT = [n for n in range(96) if n % 3]


@pytest.fixture(scope="module")
def checker():
    with pytest.MonkeyPatch.context() as patch, FolderChecker(PYTHON) as made:
        patch.setenv("OMP_NUM_THREADS", "1")  # threads that synchronize are far slower
        yield made
    assert made.pid == 0


@pytest.fixture
def llama(tiny_folder) -> Path:
    return tiny_folder("llama")


def refused(check, *given, **more) -> str:
    with pytest.raises(CheckError) as caught:
        check(*given, **more)
    return str(caught.value)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_model_passes_against_itself(name, checker, tiny_folder):
    folder = tiny_folder(name)
    shapes = checker.check(folder, how="meta")
    by = f"{TINY_MODELS[name].architecture} of transformers {shapes.transformers}"
    assert shapes.sentence() == f"{by} accepts these shapes."
    for first in (None,) if name == "swin" else (None, 2):
        result = checker.check(folder, folder, "run", CheckOptions(first_layers=first))
        assert result.largest_difference <= 1e-5 * result.largest_output
        assert result.largest_output > 0.1
        assert result.same_largest == 1
        assert result.first_layers == first


def test_the_first_layers_are_not_all(checker, llama):
    few = checker.check(llama, llama, "run", CheckOptions(first_layers=2))
    assert few.largest_output != checker.check(llama, llama, "run").largest_output
    assert "(first 2 layers): " in few.sentence()


def test_first_layers_that_nobody_counts_are_not_run(checker, tiny_folder):
    folder = tiny_folder("swin")
    with pytest.raises(ShrinkError, match="does not say how many layers there are"):
        checker.check(folder, folder, "run", CheckOptions(first_layers=2))


def test_what_is_different_from_the_unpruned_model_is_said(checker, llama, tmp_path):
    masked = hand_cuts.zero_neurons(llama, tmp_path / "masked", KEPT)
    shrunk = hand_cuts.cut_neurons(llama, tmp_path / "shrunk", KEPT)
    alone = checker.check(shrunk, masked)
    assert (alone.changed_predictions, alone.largest_change) == (None, None)
    assert re.fullmatch(
        r"The shrunk model matches the pruned model in LlamaForCausalLM of transformers [\d.]+\. "
        r"Their outputs differ by at most [1-9][\de.-]* \(the largest output is [\d.]+\)\.",
        replace(alone, largest_difference=1e-6).sentence(),
    )
    equal = replace(alone, largest_difference=0.0).sentence()
    assert equal.endswith(": all outputs are equal.")
    labels = []

    class Watch:
        def report(self, done, total, label):
            labels.append(label)

    result = checker.check(shrunk, masked, job=Job(Watch()), original=llama)
    # Not every label is reported for a small model.
    at = {"model with zeros", "shrunk model", "unpruned model"}
    assert set(labels) & {f"checking outputs: the {each}" for each in at}
    # Labels of transformers' own progress, such as "Loading weights", come after ours.
    assert all(not label or label.startswith("checking outputs") for label in labels)
    assert 0 < result.changed_predictions < 1
    assert 0.01 < result.largest_change < 1
    assert result.sentence() == (
        f"{alone.sentence()} On random inputs, the shrunk model and the unpruned model differ in "
        f"{percent(result.changed_predictions)} of the next tokens, and their outputs by up to "
        f"{percent(result.largest_change)} of the largest output."
    )
    same = checker.check(shrunk, masked, original=masked)
    assert same.changed_predictions == 0
    assert same.largest_change < 1e-5


def test_an_encoder_has_no_predictions(checker, tiny_folder, tmp_path):
    """Regression: positions with another largest element of the hidden state were counted."""
    encoder = tiny_folder("clip_vision")
    halved = {
        name: tensor * 0.5 if "fc1" in name else tensor
        for name, tensor in load_file(encoder / "model.safetensors").items()
    }
    changed = tmp_path / "changed"
    shutil.copytree(encoder, changed)
    save_file(halved, changed / "model.safetensors")
    result = checker.check(changed, changed, original=encoder)
    assert result.changed_predictions is None
    assert 0 < result.mean_cosine < 1
    assert result.sentence().endswith(
        "On random inputs, the outputs of the shrunk model and the unpruned model have a mean "
        f"cosine of {result.mean_cosine:.4f}, and differ by up to "
        f"{percent(result.largest_change)} of the largest output."
    )


def test_neurons_cut_by_hand_pass(checker, llama, tmp_path):
    masked = hand_cuts.zero_neurons(llama, tmp_path / "masked", KEPT)
    shrunk = hand_cuts.cut_neurons(llama, tmp_path / "shrunk", KEPT)
    checker.check(shrunk, masked, "meta")
    result = checker.check(shrunk, masked)
    assert result.how == "run"
    assert result.largest_difference < 1e-5 * result.largest_output
    # The original is another model, so the comparison is not trivial.
    assert "differ from those with zeros by" in refused(checker.check, shrunk, llama)


def test_other_neurons_in_up_than_in_down_are_found(checker, llama, tmp_path):
    masked = hand_cuts.zero_neurons(llama, tmp_path / "masked", KEPT)
    shrunk = hand_cuts.cut_neurons(llama, tmp_path / "shrunk", KEPT, of_up=[*KEPT[1:], 0])
    checker.check(shrunk, masked, "meta")
    said = refused(checker.check, shrunk, masked)
    assert said.startswith(f"The outputs of '{shrunk}' differ from those with zeros by ")
    assert said.endswith(
        "is allowed. Do not use it: the shrunk model does not match the pruned model."
    )


def test_a_tensor_of_another_shape_is_named(checker, llama, tmp_path):
    name = "model.layers.3.mlp.up_proj.weight"
    shrunk = hand_cuts.rewrite(llama, tmp_path / "x", lambda n, t: t[:95] if n == name else t)
    for how in ("meta", "run"):
        assert f"1 tensor of another shape ('{name}' is 95 × 64 instead of 96 × 64)." in refused(
            checker.check, shrunk, llama, how
        )


def test_tensors_missing_and_too_many_are_named(checker, llama, tmp_path):
    name = "model.norm.weight"
    shrunk = hand_cuts.rewrite(
        llama, tmp_path / "x", lambda n, t: ("model.more.weight", t) if n == name else t
    )
    assert refused(checker.check, shrunk, how="meta").endswith(
        ": 1 tensor missing ('model.norm.weight'), 1 tensor too many ('model.more.weight')."
    )
    # Differences that existed before the cut are accepted.
    checker.check(shrunk, shrunk, "meta")


def test_a_lost_expert_is_found(checker, tiny_folder, tmp_path):
    shrunk = hand_cuts.rewrite(
        tiny_folder("mixtral"), tmp_path / "x", lambda n, t: None if ".2.experts.7." in n else t
    )
    checker.check(shrunk, how="meta")  # nothing is lost: no name has that form
    shrunk = hand_cuts.rewrite(
        tiny_folder("mixtral"),
        tmp_path / "y",
        lambda n, t: None if ".layers.2." in n and ".experts.7." in n else t,
    )
    assert "'model.layers.2.mlp.experts.down_proj' is 7 × 64 × 96 instead of 8 × 64 × 96" in (
        refused(checker.check, shrunk, how="meta")
    )


def test_what_the_class_says_of_a_configuration_is_passed_on(checker, llama, tmp_path):
    shrunk = hand_cuts.rewrite(llama, tmp_path / "x", lambda _, t: t, num_attention_heads=6)
    said = refused(checker.check, shrunk, how="meta")
    assert "its configuration is refused" in said
    assert "The hidden size (64) is not a multiple of the number of attention heads (6)" in said


def test_a_removed_layer_of_a_post_norm_model_passes(checker, tiny_folder, tmp_path):
    bert = tiny_folder("bert")
    stack = "bert.encoder.layer"
    shrunk = hand_cuts.cut_layer(bert, tmp_path / "x", stack, 1, num_hidden_layers=3)
    for first in (None, 2):
        removed = CheckOptions(layers_removed={stack: [1]}, first_layers=first)
        result = checker.check(shrunk, bert, "run", removed)
        assert result.largest_difference < 1e-5 * result.largest_output
        other = CheckOptions(layers_removed={stack: [0]}, first_layers=first)
        refused(checker.check, shrunk, bert, "run", other)


def test_layers_of_two_stacks_and_of_renamed_modules_are_removed(checker, tiny_folder, tmp_path):
    for name, stack, fields in (
        ("vit", "vit.encoder.layer", {"num_hidden_layers": 3}),
        ("bart", "model.decoder.layers", {"decoder_layers": 3}),
    ):
        whole = tiny_folder(name)
        shrunk = hand_cuts.cut_layer(whole, tmp_path / name, stack, 2, **fields)
        checker.check(shrunk, whole, "run", CheckOptions(layers_removed={stack: [2]}))
        refused(checker.check, shrunk, whole, "run", CheckOptions(layers_removed={stack: [0]}))


@pytest.mark.parametrize("name", ["mixtral", "qwen3_moe", "deepseek_v3"])
def test_experts_that_no_router_chooses_are_left_out(name, checker, tiny_folder, tmp_path):
    whole = tiny_folder(name)
    kept = [0, 1, 2, 4, 6, 7]  # three in each of the groups of deepseek
    shrunk = hand_cuts.cut_experts(
        whole, tmp_path / "x", r"\.experts", r"\.gate\.(weight|e_score_correction_bias)$", kept
    )
    layers = {"mixtral": range(4), "qwen3_moe": (0, 2, 3), "deepseek_v3": (1, 2, 3)}[name]
    result = checker.check(
        shrunk, whole, "run", CheckOptions(experts_kept=dict.fromkeys(layers, kept))
    )
    assert result.largest_difference < 1e-4 * result.largest_output
    refused(checker.check, shrunk, whole, "run")
    first = CheckOptions(experts_kept=dict.fromkeys(layers, kept), first_layers=2)
    assert checker.check(shrunk, whole, "run", first).first_layers == 2
    with pytest.raises(EvaluationError, match=r"has no router in layer 9"):
        checker.check(shrunk, whole, "run", CheckOptions(experts_kept={9: kept}))


@pytest.mark.parametrize("name", ["llama", "llama_tied"])
def test_kept_tokens_give_what_they_gave(name, checker, tiny_folder, tmp_path):
    whole = tiny_folder(name)
    kept = [n for n in range(256) if n % 5]
    shrunk = hand_cuts.cut_vocabulary(whole, tmp_path / "some", kept)
    options = CheckOptions(vocabulary_kept=kept)
    assert checker.check(shrunk, whole, "run", options, original=whole).changed_predictions == 0
    refused(checker.check, shrunk, whole, "run")
    # Rows after the last token need no list.
    checker.check(hand_cuts.cut_vocabulary(whole, tmp_path / "first", range(200)), whole, "run")


def test_outputs_that_are_not_finite_cannot_be_compared(checker, llama, tmp_path):
    masked = hand_cuts.rewrite(llama, tmp_path / "x", lambda _, t: t * float("nan"))
    with pytest.raises(EvaluationError, match=r"with zeros are not finite"):
        checker.check(llama, masked)
    said = refused(checker.check, masked, llama)
    assert re.search(r"differ from those with zeros by inf, where [\de.-]+ is allowed\.", said)


def test_with_experts_the_median_is_what_is_named_where_it_alone_is_too_large(
    checker, tiny_folder, tmp_path
):
    folder = tiny_folder("mixtral")
    other = hand_cuts.rewrite(
        folder, tmp_path / "x", lambda n, t: t * (1 + 9e-5) if "lm_head" in n else t
    )
    said = refused(checker.check, other, folder)
    assert re.search(r"by [\de.-]+ in the median, where [\de.-]+ is allowed\. Do not use it", said)


def test_a_router_that_a_rounding_leads_elsewhere_is_said_to_be_that():
    found = {"largest_difference": 0.5, "median_difference": 1e-9, "largest_output": 1.0}
    with pytest.raises(CheckError, match=r"by 0\.5, where 0\.0001 is allowed\. Most outputs agree"):
        check._raise_if_different(
            {
                "architecture": "X",
                "transformers": "5",
                "against": {"missing": [], "unexpected": [], "mismatched": []},
                "experts": True,
                "compared": found,
            },
            Path("x"),
            "",
        )


def test_outputs_of_zeros_prove_nothing(checker, llama, tmp_path):
    masked = hand_cuts.rewrite(llama, tmp_path / "x", lambda _, t: t * 0)
    with pytest.raises(EvaluationError, match=r"are nothing but zeros, so nothing can be compared"):
        checker.check(masked, masked)


def test_a_class_that_is_not_there_is_named(checker, llama, tmp_path):
    folder = hand_cuts.rewrite(
        llama, tmp_path / "x", lambda _, t: t, architectures=["NoneForCausalLM"], model_type="none"
    )
    with pytest.raises(EvaluationError, match=r"has no class NoneForCausalLM"):
        checker.check(folder, how="meta")


@pytest.mark.parametrize("place", [{}, {"text_config": {}}])
def test_code_of_a_folder_is_refused_before_anything_is_started(llama, tmp_path, place):
    ours = {"auto_map": {"AutoModelForCausalLM": "evil.Model"}}
    fields = {"text_config": ours} if place else ours
    folder = hand_cuts.rewrite(llama, tmp_path / "x", lambda _, t: t, **fields)
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with (
        FolderChecker(tmp_path / "no-python") as checker,
        pytest.raises(EvaluationError, match=r"refers to its own code in auto_map"),
    ):
        checker.check(folder, how="meta")
    assert not (tmp_path / "ran").exists()


def test_other_files_than_safetensors_are_refused(tmp_path):
    import torch

    (tmp_path / "config.json").write_text("{}")
    torch.save({"a.weight": torch.zeros(2)}, tmp_path / "pytorch_model.bin")
    with pytest.raises(EvaluationError, match=r"only safetensors files are checked"):
        check_folder(tmp_path, how="meta", python=PYTHON)


def test_a_folder_without_a_configuration_is_refused(tmp_path):
    with pytest.raises(EvaluationError, match=r"config\.json' cannot be read"):
        check_folder(tmp_path, how="meta", python=PYTHON)


def test_the_last_line_of_a_failed_import_is_passed_on(llama, tmp_path, monkeypatch):
    (tmp_path / "transformers.py").write_text(
        "try:\n    raise RuntimeError('loading:\\noperator torchvision::nms does not exist')\n"
        "except RuntimeError as error:\n"
        "    raise ModuleNotFoundError(\"Could not import module 'X'.\") from error\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(EvaluationError) as caught:
        check_folder(llama, how="meta", python=PYTHON)
    assert str(caught.value) == (
        "transformers cannot be imported: RuntimeError: operator torchvision::nms does not exist. "
        "Choose the interpreter of an environment that has transformers."
    )


def test_a_cancelled_check_leaves_no_process(llama, tmp_path, monkeypatch):
    (tmp_path / "transformers.py").write_text("import time\nwhile True: time.sleep(1)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    token, times = CancelToken(), []

    class Watch:
        def report(self, done, total, label):
            if "checking" in label and not times:
                times.append(0.0)
                threading.Timer(0.3, cancel).start()

    def cancel():
        pids.append(checker.pid)
        times[0] = time.monotonic()
        token.cancel()

    checker = FolderChecker(PYTHON)
    pids = []
    with checker, pytest.raises(Cancelled):
        checker.check(llama, how="meta", job=Job(Watch(), token))
    assert time.monotonic() - times[0] < 0.25
    assert pids[0]
    assert left_over(pids[0]) == []
    assert checker.pid == 0


def test_the_process_serves_again_after_a_cancelled_check(llama):
    token = CancelToken()
    token.cancel()
    with FolderChecker(PYTHON) as checker:
        with pytest.raises(Cancelled):
            checker.check(llama, how="meta", job=Job(cancel=token))
        assert checker.check(llama, how="meta").architecture == "LlamaForCausalLM"


def test_a_folder_of_shards_is_read(checker, llama, tmp_path):
    from safetensors.numpy import save_file

    tensors = list(load_file(llama / "model.safetensors").items())
    names = {}
    for number, part in enumerate((tensors[::2], tensors[1::2]), 1):
        file = f"model-0000{number}-of-00002.safetensors"
        save_file(dict(part), tmp_path / file)
        names |= dict.fromkeys(dict(part), file)
    (tmp_path / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": names})
    )
    shutil.copy(llama / "config.json", tmp_path)
    assert checker.check(tmp_path, llama).largest_difference < 1e-5


def test_a_class_may_be_that_of_another_type(checker, tiny_folder, tmp_path):
    folder = hand_cuts.rewrite(
        tiny_folder("internlm3"),
        tmp_path / "x",
        lambda _, t: t,
        architectures=["InternLM3ForCausalLM"],
    )
    assert checker.check(folder, how="meta").architecture == "LlamaForCausalLM"


def test_shapes_alone_take_no_memory(checker, tmp_path):
    """A model of a terabyte in a sparse file, which is neither read nor mapped."""
    folder = make("llama", tmp_path / "llama", num_hidden_layers=1)
    config = json.loads((folder / "config.json").read_text())
    wide = {"hidden_size": 1 << 17, "intermediate_size": 1 << 20, "head_dim": 8}
    (folder / "config.json").write_text(json.dumps(config | wide))
    sizes = {256: 256, 64: 1 << 17, 96: 1 << 20, 32: 32}
    header, end = {}, 0
    for name, tensor in load_file(folder / "model.safetensors").items():
        square = "q_proj" in name or "o_proj" in name
        shape = [sizes[size] for size in tensor.shape]
        if square:
            shape = [64, 1 << 17] if "q_proj" in name else [1 << 17, 64]
        start, end = end, end + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)
    assert end > 1 << 40
    assert checker.check(folder, how="meta").how == "meta"
