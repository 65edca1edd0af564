"""Export of checkpoints: planning, writing and verifying the files of a model.

Each format is a declaration in ``export.formats``. Every entry of the source is reported as
written, converted or omitted. No other package writes models.
"""
