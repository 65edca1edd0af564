"""Agreement with the unpruned model on random token IDs, for folders that transformers loads."""

from pruneapp_worker.transformers_folder import calibrate, load, pooled_embedding

__all__ = ["calibrate", "load", "pooled_embedding"]
