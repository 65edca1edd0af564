"""Python that an export writes or shows: how to load it, compare it, or make it with torch.

Only text is made here; it imports nothing that it writes about.
"""
