"""Agreement on the lines of a text of the person, for folders of transformers without a head."""

from pruneapp_worker.transformers_folder import calibrate_on_lines as calibrate
from pruneapp_worker.transformers_folder import load

__all__ = ["calibrate", "load"]
