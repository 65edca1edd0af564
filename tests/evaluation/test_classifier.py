"""Image classifiers without a script: known by their tensors, measured on a folder of images.

The worker uses a stub of torchvision; with the real package, if it is installed, the last test runs
a stock ResNet-18.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation import classifier as classifiers
from pruneapp.evaluation.calibrated_repair import RepairSettings, repair_by_script
from pruneapp.evaluation.classifier import Classifier, classifier_of, count_images, signature
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Samples, ScriptRunner
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.evaluation.stock_model import install, write_images, write_model


@pytest.fixture
def packages(tmp_path, monkeypatch):
    install(tmp_path / "packages", monkeypatch)


@pytest.fixture
def images(tmp_path):
    return write_images(tmp_path / "images")


@pytest.fixture
def file(tmp_path):
    return write_model(tmp_path / "tiny.safetensors")


def runner_for(script: EvaluationScript, images: Path, name: str = "torchvision", classes: int = 3):
    options = Options(device="cpu", images=images, classifier=Classifier(name, "tiny", classes))
    return closing(ScriptRunner(script, Interpreter(Path(sys.executable), ""), options))


def resnet18(classes: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of torchvision's ResNet-18."""
    shapes = {"conv1.weight": (64, 3, 7, 7), "fc.weight": (classes, 512), "fc.bias": (classes,)}
    norms = {"bn1": 64}
    inputs = 64
    for stage, width in enumerate((64, 128, 256, 512), 1):
        for block in range(2):
            place = f"layer{stage}.{block}"
            shapes[f"{place}.conv1.weight"] = (width, inputs, 3, 3)
            shapes[f"{place}.conv2.weight"] = (width, width, 3, 3)
            norms |= {f"{place}.bn1": width, f"{place}.bn2": width}
            if inputs != width:
                shapes[f"{place}.downsample.0.weight"] = (width, inputs, 1, 1)
                norms[f"{place}.downsample.1"] = width
            inputs = width
    for name, width in norms.items():
        for part in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"{name}.{part}"] = (width,)
    return shapes


def checkpoint_with(shapes, path: Path):
    save_file(
        {name: torch.zeros(shape, dtype=torch.float16) for name, shape in shapes.items()}, path
    )
    return open_checkpoint(path)


@pytest.mark.parametrize("prefix", ["", "module.", "module.model."])
def test_a_stock_model_is_known_by_its_tensors_whatever_its_classes(tmp_path, prefix):
    shapes = {prefix + name: shape for name, shape in resnet18(7).items()}
    with checkpoint_with(shapes, tmp_path / "m.safetensors") as checkpoint:
        assert classifier_of(checkpoint) == Classifier("torchvision", "resnet18", 7)
    counted = {**shapes, f"{prefix}bn1.num_batches_tracked": ()}
    with checkpoint_with(counted, tmp_path / "n.safetensors") as checkpoint:
        assert classifier_of(checkpoint) == Classifier("torchvision", "resnet18", 7)


def test_other_models_are_not_known(tmp_path):
    shapes = {**resnet18(7), "layer1.0.conv1.weight": (64, 64, 5, 5)}
    with checkpoint_with(shapes, tmp_path / "m.safetensors") as checkpoint:
        assert classifier_of(checkpoint) is None
    with checkpoint_with({"weight": (2, 2)}, tmp_path / "n.safetensors") as checkpoint:
        assert classifier_of(checkpoint) is None


def test_a_folder_of_timm_names_its_architecture(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"architecture": "vit_x"}))
    shapes = {
        "head.fc.weight": (5, 4),
        "classifier.10.weight": (6, 4),
        "classifier.9.weight": (4, 4),
    }
    checkpoint_with(shapes, tmp_path / "model.safetensors").close()
    with open_checkpoint(tmp_path) as checkpoint:
        assert classifier_of(checkpoint) == Classifier("timm", "vit_x", 5)


def test_the_table_tells_models_apart():
    table = json.loads(resources.path(classifiers.TABLE).read_text(encoding="utf-8"))
    assert table[signature(resnet18(1000))] == "torchvision/resnet18"
    assert {name.partition("/")[0] for name in table.values()} == {"torchvision", "timm"}
    assert len(table) > 1000
    assert sum(name.startswith("torchvision/") for name in table.values()) >= 75


def test_images_are_counted_with_their_subfolders(images, tmp_path):
    assert count_images(images, Job()) == (6, 3)
    assert count_images(images / "red", Job()) == (2, 0)
    for folder, words in (("notes", "There is no image in"), ("no", "cannot be listed")):
        with pytest.raises(EvaluationError, match=words):
            count_images(images / folder, Job())
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        count_images(images, Job(cancel=token))


def test_as_many_are_measured_as_the_window_says(images):
    """The worker has its own constants, because it does not import Pruneapp."""
    place = resources.path("pruneapp_worker/image_classifier.py")
    sys.path.insert(0, str(place.parents[1]))
    try:
        from pruneapp_worker import image_classifier
    finally:
        sys.path.pop(0)
    assert image_classifier.MOST_IMAGES == classifiers.MOST_IMAGES
    assert image_classifier.SUFFIXES == classifiers._SUFFIXES
    for folder in (images, images / "red"):
        found = image_classifier.images_in(str(folder), None)
        counted = count_images(folder, Job())
        assert len(found[::2]) == counted.count_measured(labelled=True)
        assert len(found[1::2]) == counted.count_measured(labelled=False)
    assert [number for _, number in image_classifier.images_in(str(images), 1)] == [0, 1]


def test_accuracy_is_that_of_the_classes_that_subfolders_are(packages, file, images):
    script = EvaluationScript.shipped_for_images(labelled=True)
    with runner_for(script, images) as runner, open_checkpoint(file) as checkpoint:
        state = Snapshot(checkpoint)
        dense = runner.run(state, 0, Job()).metrics
        assert dense["accuracy"].counts == (3, 3)
        assert len(dense["loss"].samples) == 3
        red = BitMask.from_bools(np.arange(9) >= 6)  # the row of red
        pruned = runner.run(state.with_masks({"masks": {"fc.weight": red}}), 0, Job()).metrics
        assert pruned["accuracy"].counts == (2, 3)


def test_agreement_is_measured_without_labels(packages, file, images):
    script = EvaluationScript.shipped_for_images(labelled=False)
    with runner_for(script, images) as runner, open_checkpoint(file) as checkpoint:
        state = Snapshot(checkpoint)
        assert runner.run(state, 0, Job(), reference=True).metrics["same_top1"].value == 1
        red = BitMask.from_bools(np.arange(9) >= 6)
        pruned = runner.run(state.with_masks({"masks": {"fc.weight": red}}), 0, Job()).metrics
        assert pruned["same_top1"].counts == (2, 3)


def test_a_repair_records_the_folder_and_the_number_of_images(packages, file, images):
    """Regression: the report of a repair did not state the samples that were used."""
    script = EvaluationScript.shipped_for_images(labelled=True)
    with runner_for(script, images) as runner, open_checkpoint(file) as checkpoint:
        some = BitMask.from_bools(np.arange(9) % 2 == 1)
        state = Snapshot(checkpoint).with_masks({"masks": {"fc.weight": some}})
        done = repair_by_script(runner, state, RepairSettings(), Job())
    assert done.samples == Samples("images", 3, 6)
    source = done.repair.edit.entry["configuration"]["source"]
    assert (source["name"], source["samples"]) == ("images", 3)
    assert done.repair.edit.detail.endswith("\nInputs: images, 3 samples")


def test_what_cannot_be_run_is_a_sentence(packages, file, images):
    script = EvaluationScript.shipped_for_images(labelled=True)
    with open_checkpoint(file) as checkpoint:
        state = Snapshot(checkpoint)
        with (
            runner_for(script, images, "timm") as runner,
            pytest.raises(EvaluationError, match=r"tiny of timm, which cannot be imported"),
        ):
            runner.run(state, 0, Job())
        (images / "red" / "0.PNG").write_bytes(b"\0")
        with (
            runner_for(script, images) as runner,
            pytest.raises(EvaluationError, match=r"0\.PNG' cannot be read: cannot identify"),
        ):
            runner.run(state, 0, Job())
    state = {"fc.weight": torch.eye(3), "fc.bias": torch.zeros(3)}
    save_file(state, file.with_name("other.safetensors"))
    with (
        open_checkpoint(file.with_name("other.safetensors")) as checkpoint,
        runner_for(script, images) as runner,
        pytest.raises(EvaluationError, match=r"has other tensors, among them 'bn\.weight'"),
    ):
        runner.run(Snapshot(checkpoint), 0, Job())


@pytest.mark.skipif(importlib.util.find_spec("torchvision") is None, reason="needs torchvision")
def test_a_stock_model_is_measured_on_images(tmp_path):
    import torchvision

    torch.manual_seed(0)
    torch.save(
        {"model": torchvision.models.resnet18(num_classes=2).state_dict()}, tmp_path / "m.pt"
    )
    for number in range(4):
        folder = tmp_path / "images" / f"class {number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("L", (300, 200), 60 * number).save(folder / f"{number}.jpg")
    script = EvaluationScript.shipped_for_images(labelled=True)
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        found = classifier_of(checkpoint)
        assert found == Classifier("torchvision", "resnet18", 2)
        options = Options(device="cpu", images=tmp_path / "images", classifier=found)
        runner = ScriptRunner(script, Interpreter(Path(sys.executable), ""), options)
        with closing(runner):
            assert runner.run(Snapshot(checkpoint), 0, Job()).metrics["accuracy"].counts[1] == 2
