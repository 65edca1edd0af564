"""The sensitivity of tensors: a scan by the evaluation script, and the step that it allocates.

Scans and allocations are computed in ``evaluation``; the page of a scan is one of ``plots``.
"""
