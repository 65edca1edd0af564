"""Writing checkpoints: the plan of an export, its files, and the check of what was written.

A format is one declaration in ``export.formats``. Every entry of the source is accounted for, as
written, converted or left out; nothing outside of this package writes a model.
"""
