"""Bar charts with the colors of kept, pruned and (hatched) to-be-pruned weights.

The pages decide which numbers are shown.
"""
