"""The sensitivity of tensors: a scan with the evaluation script, and allocations based on it.

Scans and allocations are computed in ``evaluation``; the page of a scan is in ``plots``.
"""
