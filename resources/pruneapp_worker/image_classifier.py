"""The built-in runner for image classifiers: models of torchvision and timm, and images."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable

# Set before timm is imported, which reads it: nothing is downloaded.
os.environ["HF_HUB_OFFLINE"] = "1"

import torch

from pruneapp_worker.pipe import ContractError

# Number of evaluated images, and of calibration images, without a limit.
MOST_IMAGES = 1000
BATCH = 16
SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm")
# Arguments that the published weights of these models need, besides torchvision's defaults.
MORE = {"transform_input": True, "init_weights": False}
WITH_MORE = ("googlenet", "inception_v3")
_transforms: list[Callable[[Any], torch.Tensor]] = []


def make_model(classifier: Any) -> Any:
    """Return a model of its library without weights, and set the transform for images.

    `classifier` is its library, name and number of classes. Raises `ContractError` if the library
    cannot be imported.
    """
    library, name, classes = classifier
    try:
        model, transform = (_of_timm if library == "timm" else _of_torchvision)(name, classes)
    except ImportError as error:
        raise ContractError(
            f"The model is {name} of {library}, which cannot be imported ({error}).",
            f"Choose a Python with {library}, or write an evaluation script.",
        ) from None
    _transforms[:] = [transform]
    return model.eval()


def set_weights(model: Any, state: dict[str, Any], classifier: Any) -> None:
    """Set the weights of a model, without a prefix that all names in `state` have.

    A state dict inside of dicts is found by the first name of the model. Raises `ContractError` if
    the model has other tensors.
    """
    library, name, _classes = classifier
    weights = _weights_in(state, model)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    wrong = [*unexpected, *(n for n in missing if not n.endswith("num_batches_tracked"))]
    if wrong:
        raise ContractError(
            f"{name} of the installed {library} has other tensors, among them '{wrong[0]}'.",
            "Write an evaluation script with load(path) for the model.",
        )


def _of_torchvision(name: str, classes: int) -> tuple[Any, Any]:
    from torchvision import models

    more = MORE if name in WITH_MORE else {}
    model = models.get_model(name, weights=None, num_classes=classes, **more)
    return model, models.get_model_weights(name).DEFAULT.transforms()


def _of_timm(name: str, classes: int) -> tuple[Any, Any]:
    import timm

    model = timm.create_model(name, num_classes=classes)
    return model, timm.data.create_transform(**timm.data.resolve_model_data_config(model))


def _weights_in(state: dict[str, Any], model: Any) -> dict[str, torch.Tensor]:
    """Return the tensors of a state dict by the model's names, see `set_weights`."""
    first = next(iter(model.state_dict()))
    while not any(str(name).endswith(first) for name in state):
        inner = [value for value in state.values() if isinstance(value, dict)]
        if not inner:
            return state
        state = max(inner, key=len)
    prefix = next(str(name) for name in state if str(name).endswith(first))[: -len(first)]
    return {name[len(prefix) :]: value for name, value in state.items() if name.startswith(prefix)}


# What the latest run used of the folder: see `Samples` in pruneapp.evaluation.runner.
SAMPLES: dict[str, Any] = {}


def images_in(folder: str, limit: Any) -> list[tuple[Path, int]]:
    """Return evenly spaced images of a folder, with the index of their subfolder.

    At most twice `limit` (or `MOST_IMAGES`): those at even positions are evaluated, the others
    calibrate. Subfolders are in the order of their names; without any the index is 0. Raises
    `ContractError` if there is no image.
    """
    inside = [_files_in(path) for path in sorted(Path(folder).iterdir()) if path.is_dir()]
    inside = [files for files in inside if files] or [_files_in(Path(folder))]
    found = [(file, number) for number, files in enumerate(inside) for file in files]
    if not found:
        raise ContractError(f"There is no image in '{folder}'.", "Specify a folder with images.")
    SAMPLES.update(unit="images", total=len(found), tokens=0)
    wanted = min(len(found), 2 * int(limit or MOST_IMAGES))
    return [found[place * len(found) // wanted] for place in range(wanted)]


def _files_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.name.lower().endswith(SUFFIXES))


def batches(model: Any, images: list[tuple[Path, int]], progress: Any) -> Any:
    """Run images through a model; yield outputs with the class indices of the images.

    `progress` wraps the loop. Raises `ContractError` if an image cannot be read.
    """
    device = next(model.parameters()).device
    starts = range(0, len(images), BATCH)
    for start in progress(starts):
        part = images[start : start + BATCH]
        inputs = torch.stack([_read(file) for file, _ in part]).to(device)
        yield model(inputs), torch.tensor([number for _, number in part])


def _read(file: Path) -> torch.Tensor:
    """Return an image, transformed as the model expects.

    Raise `ContractError` if it cannot be read.
    """
    from PIL import Image

    try:
        with Image.open(file) as image:
            return _transforms[0](image.convert("RGB"))
    except (OSError, SyntaxError) as error:  # raised by Pillow for broken files
        raise ContractError(
            f"The image '{file}' cannot be read: {error}.",
            "Replace it, or take it out of the folder.",
        ) from None


# What the worker calls; the rest is also part of the comparison script of an export.


def load(path: str, device: str, classifier: Any) -> Any:
    """Return a model of its library with the weights of a file or folder, on the device.

    Also sets the transform for images. Raises what `make_model` and `set_weights` raise.
    """
    model = make_model(classifier)
    set_weights(model, _tensors_in(Path(path)), classifier)
    return model.to(device)


def _tensors_in(path: Path) -> dict[str, Any]:
    """Return the tensors of a file or folder. Pickles are read without running code."""
    state: dict[str, Any] = {}
    for file in sorted(path.glob("*.safetensors")) if path.is_dir() else [path]:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            state.update(load_file(file))
        else:
            state.update(torch.load(file, map_location="cpu", weights_only=True))
    return state


@torch.no_grad()
def calibrate(model: Any, images: str, progress: Any, limit: Any = None) -> None:
    """Run the images that are not evaluated; if there is only one image, run that."""
    found = images_in(images, limit)
    run = found[1::2] or found
    SAMPLES["used"] = len(run)
    for _ in batches(model, run, progress):
        pass


@torch.no_grad()
def evaluate(model: Any, images: str, progress: Any, limit: Any = None) -> dict[str, Any]:
    """Return the accuracy as (right, total), and the cross-entropy of each image as ``loss``."""
    right, losses = 0, []
    run = images_in(images, limit)[::2]
    SAMPLES["used"] = len(run)
    for output, numbers in batches(model, run, progress):
        logits = output.float().cpu()
        right += int((logits.argmax(-1) == numbers).sum())
        losses += torch.nn.functional.cross_entropy(logits, numbers, reduction="none").tolist()
    return {"accuracy": (right, len(losses)), "loss": losses}
