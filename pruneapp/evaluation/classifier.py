"""Identify image classifiers of torchvision and timm by tensor names and shapes."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pruneapp import json_codec, resources
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import words_of
from pruneapp.evaluation.process import EvaluationError
from pruneapp.export.destination.sidecars import configuration_of
from pruneapp.progress import CancelToken, Job

TABLE = "classifiers.json"
# Names of the last layers, whose shapes depend on the number of classes.
_HEADS = frozenset({"fc", "fc2", "head", "heads", "classifier"})
# Classifiers have fewer tensors; larger checkpoints are not hashed.
_MOST_TENSORS = 5_000
# Digits of the SHA-256 used: the chance that two of 1,300 models collide is 10^-8.
_DIGITS = 14


class Classifier(NamedTuple):
    """An architecture of a library, and its number of classes."""

    library: str  # "torchvision" or "timm"
    name: str
    classes: int


def signature(shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Return 14 hex digits of a digest of names and shapes, equal for any number of classes.

    Of tensors of the last layers (with a part ``head`` or ``fc`` in the name, for example) only the
    number of dimensions is used; `num_batches_tracked`, which old files lack, is ignored. The order
    of `shapes` does not matter. O(n log n) in the number of tensors.
    """
    rows = sorted(
        (name, len(shape) if _HEADS.intersection(name.split(".")) else list(shape))
        for name, shape in shapes.items()
        if not name.endswith("num_batches_tracked")
    )
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:_DIGITS]


def classifier_of(checkpoint: Checkpoint, cancel: CancelToken | None = None) -> Classifier | None:
    """Return the architecture of a checkpoint; None if it is not known.

    A folder of timm names it in its config.json; other checkpoints are looked up in a table by
    `signature`, without prefixes that all names share, such as ``module.``. None also for more than
    5,000 tensors, and, without a config.json, if no layer has the name of a classifier head.
    `cancel` can cancel.
    """
    if len(checkpoint.entries) > _MOST_TENSORS:
        return None
    cancel = cancel or CancelToken()
    shapes = {entry.name: entry.shape for entry in cancel.each(checkpoint.entries.values())}
    classes = _classes(shapes, cancel)
    configuration = configuration_of(checkpoint) if checkpoint.path.is_dir() else None
    if configuration is not None and configuration.architecture:
        return Classifier("timm", configuration.architecture, classes)
    while classes:
        found = _table().get(signature(shapes))
        if found is not None:
            library, name = found.split("/")
            return Classifier(library, name, classes)
        # Remove the prefix of DistributedDataParallel or of an attribute of a larger model.
        prefixes = {name.partition(".")[0] for name in shapes}
        if len(prefixes) > 1 or not all("." in name for name in shapes):
            break
        shapes = {name.partition(".")[2]: shape for name, shape in shapes.items()}
    return None


def _classes(shapes: Mapping[str, tuple[int, ...]], cancel: CancelToken) -> int:
    """Return the number of rows of the last weight of the head; 0 if no layer has a known name.

    Weights have two dimensions or more; the last one is the last by name, with numbers in numeric
    order.
    """
    last = [
        name
        for name, shape in cancel.each(shapes.items())
        if len(shape) > 1 and _HEADS.intersection(name.split("."))
    ]
    return shapes[max(last, key=_in_order)][0] if last else 0


def _in_order(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a key that sorts ``classifier.10`` after ``classifier.6``."""
    parts = name.split(".")
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in parts)


@functools.cache
def _table() -> Mapping[str, str]:
    return json_codec.decode(resources.path(TABLE).read_bytes(), dict[str, str], TABLE)


# Must match resources/pruneapp_worker/image_classifier.py.
MOST_IMAGES = 1000
# Common image types that Pillow reads; other files in a folder are ignored.
_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm")


class ImageFolder(NamedTuple):
    """The number of images and classes in a folder."""

    images: int
    classes: int  # number of subfolders with images; classes are in the order of their names

    def count_measured(self, *, labelled: bool, limit: int | None = None) -> int:
        """Return the number of evaluated images; `limit` is the maximum, None for `MOST_IMAGES`.

        At most twice `limit` of the images are used. With labels, half of them, rounded up, are
        evaluated, and the other half calibrates. Without labels, agreement is measured on the
        calibration images: half of them, rounded down, at least 1.
        """
        run = min(self.images, 2 * (limit or MOST_IMAGES))
        return (run + 1) // 2 if labelled else max(1, run // 2)


def count_images(folder: Path, job: Job) -> ImageFolder:
    """Count the images in the direct subfolders of a folder, or in the folder if they have none.

    Files are counted by their suffix and not opened; deeper folders are ignored. Raises
    `EvaluationError` if there is no image, or a folder cannot be listed.
    """
    try:
        inside = [_images_in(path, job) for path in folder.iterdir() if path.is_dir()]
        found = ImageFolder(sum(inside), sum(map(bool, inside)))
        if not found.images:
            found = ImageFolder(_images_in(folder, job), 0)
    except OSError as error:
        raise EvaluationError(
            f"The images in '{folder}' cannot be listed: {words_of(error)}.",
            remedy="Check the path.",
        ) from None
    if not found.images:
        raise EvaluationError(
            f"There is no image in '{folder}' or its subfolders.",
            remedy=f"Specify a folder with images ({', '.join(_SUFFIXES)}).",
        )
    return found


def _images_in(folder: Path, job: Job) -> int:
    count = 0
    for path in folder.iterdir():
        job.cancel.check()
        count += path.name.lower().endswith(_SUFFIXES)
    return count
