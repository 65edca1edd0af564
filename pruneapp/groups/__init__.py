"""Groups: sizes that several tensors share, and which entries of each belong to one unit.

What a model of a known type has is declared in ``resources/families``, a file a family, and bound
to the tensors of a checkpoint by its config.json and their shapes: no code of a model is run. A
file that holds its own graph brings its groups itself. Nothing here reads a weight.
"""
