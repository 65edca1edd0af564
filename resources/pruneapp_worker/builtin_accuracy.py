"""Accuracy over a folder of images of the person, for classifiers of torchvision and timm."""

from pruneapp_worker.image_classifier import calibrate, evaluate, load

__all__ = ["calibrate", "evaluate", "load"]
