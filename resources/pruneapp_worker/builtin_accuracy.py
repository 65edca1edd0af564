"""Accuracy on a folder of the user's images, for classifiers of torchvision and timm."""

from pruneapp_worker.image_classifier import SAMPLES, calibrate, evaluate, load

__all__ = ["SAMPLES", "calibrate", "evaluate", "load"]
