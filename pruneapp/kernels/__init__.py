"""The arithmetic of pruning, on bit patterns, on the CPU or a device; the same masks on both."""
