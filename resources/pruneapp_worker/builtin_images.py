"""Agreement on images of the person without labels, for classifiers of torchvision and timm."""

from pruneapp_worker.image_classifier import calibrate, load

__all__ = ["calibrate", "load"]
