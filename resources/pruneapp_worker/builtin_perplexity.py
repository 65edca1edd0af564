"""Perplexity over a text of the person, for folders that transformers loads; or it calibrates."""

from pruneapp_worker.transformers_folder import calibrate_on_text as calibrate
from pruneapp_worker.transformers_folder import evaluate, load

__all__ = ["calibrate", "evaluate", "load"]
