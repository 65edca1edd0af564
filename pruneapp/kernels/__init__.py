"""The arithmetic of pruning, on bit patterns, on the CPU or a GPU; the same masks on both.

Kernels see arrays and masks, never names, documents or methods. The order of every sum is fixed.
"""
