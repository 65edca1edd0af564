"""Agreement on the user's images without labels, for classifiers of torchvision and timm."""

from pruneapp_worker.image_classifier import SAMPLES, calibrate, load

__all__ = ["SAMPLES", "calibrate", "load"]
