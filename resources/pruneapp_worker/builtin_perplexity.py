"""Perplexity of the user's text, for transformers folders; also calibrates with it."""

from pruneapp_worker.transformers_folder import calibrate_on_text as calibrate
from pruneapp_worker.transformers_folder import evaluate, load

__all__ = ["calibrate", "evaluate", "load"]
