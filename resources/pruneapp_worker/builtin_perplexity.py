"""Perplexity over a text of the person, for folders that transformers loads."""

from pruneapp_worker.transformers_folder import evaluate, load

__all__ = ["evaluate", "load"]
