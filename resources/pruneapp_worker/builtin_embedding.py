"""Agreement on the lines of a text of the person, for folders of transformers without a head."""

from pruneapp_worker.transformers_folder import SENTENCES, load, pooled_embedding
from pruneapp_worker.transformers_folder import calibrate_on_lines as calibrate

__all__ = ["SENTENCES", "calibrate", "load", "pooled_embedding"]
