"""Perplexity of the user's text, for transformers folders; also calibrates with it."""

from pruneapp_worker.transformers_folder import SAMPLES, evaluate, load
from pruneapp_worker.transformers_folder import calibrate_on_text as calibrate

__all__ = ["SAMPLES", "calibrate", "evaluate", "load"]
