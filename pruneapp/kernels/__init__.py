"""The arithmetic of pruning on bit patterns, on the CPU or a GPU, with identical masks on both.

Kernels work on arrays and masks, not on names, documents or methods. The order of every sum is
fixed.
"""
