"""Groups: sizes that several tensors share, and which entries of each tensor belong to one unit.

The groups of known model types are declared in ``resources/families``, one file per family, and
matched with the tensors of a checkpoint by its config.json and the tensors' shapes; no code of the
model is run. A file that contains its own graph determines its groups by that graph. Nothing here
reads weights.
"""
