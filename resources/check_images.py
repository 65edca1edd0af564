"""Does the pruned model still work?

Run this file. It runs the original weights and the exported ones on your images, and prints the
accuracy of both, if the folder has a subfolder for each class, and how much their outputs differ.
It requires torch, Pillow, the library of the model, and the packages that load the two files.
"""

import os
import sys
from pathlib import Path
from typing import Any, Callable

import torch

IMAGES = Path("@IMAGES@")
LIMIT = "@LIMIT@"  # maximum number of images; None for 1,000
CLASSIFIER = "@CLASSIFIER@"  # library, name of the model, and number of classes
ORIGINAL = Path("@ORIGINAL@")
# The weight files of the original and their modification times, in nanoseconds since 1970. If an
# export has replaced the original, these are the backups.
ORIGINAL_WEIGHTS = {"@ORIGINAL_WEIGHTS@": None}
EXPORTED = Path("@EXPORTED@")
# Keys that lead to the state dict in a torch file, outermost first; empty if the file is one.
STATE_DICT = "@STATE_DICT@"


class ContractError(SystemExit):
    """A reason why the models cannot be compared, and what to do."""

    def __init__(self, sentence, remedy):
        super().__init__(f"{sentence} {remedy}")


# @FILES@


# @LOADERS@


# @RESIZING@


# @CLASSIFIERS@


def outputs(tensors, images):
    """Return the outputs of the model with these weights, and the classes of the images."""
    model = make_model(CLASSIFIER)
    set_weights(model, tensors, CLASSIFIER)
    with torch.no_grad():
        found = [(output.float(), numbers) for output, numbers in batches(model, images, iter)]
    return tuple(map(torch.cat, zip(*found)))


def main():
    refuse_wrong_files()
    folders = {number for _, number in images_in(IMAGES, sys.maxsize)}
    labelled = len(folders) == CLASSIFIER[-1]
    found = images_in(IMAGES, LIMIT)
    images = found[::2] if labelled else found[1::2] or found
    before, numbers = outputs(load_original(ORIGINAL_WEIGHTS), images)
    after, _ = outputs(load(EXPORTED), images)
    print(f"{len(images):,} images of {IMAGES}")
    first, second = before.argmax(-1), after.argmax(-1)
    if labelled:
        right = [(labels == numbers).double().mean() for labels in (first, second)]
        print(f"Accuracy of the original and of the export: {right[0]:.2%}, {right[1]:.2%}")
    same = (first == second).double().mean()
    print(f"Images to which both give the same label: {same:.2%}")
    cosine = torch.nn.functional.cosine_similarity(before, after).mean()
    print(f"Mean cosine similarity of the outputs of both: {cosine:.4f}")
    apart = (after - before).abs()
    print(f"Difference of the outputs: largest {apart.max():.6g}, mean {apart.mean():.6g}")


if __name__ == "__main__":
    main()
