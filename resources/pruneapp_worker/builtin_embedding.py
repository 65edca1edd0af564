"""Agreement on the lines of the user's text, for transformers folders without a head.

Lines are truncated to the maximum length of a sentence of the folder.
"""

from pruneapp_worker.transformers_folder import SAMPLES, SENTENCES, load, pooled_embedding
from pruneapp_worker.transformers_folder import calibrate_on_lines as calibrate

__all__ = ["SAMPLES", "SENTENCES", "calibrate", "load", "pooled_embedding"]
