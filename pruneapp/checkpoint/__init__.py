"""Reading checkpoints of all supported formats, and writing files atomically.

Opening a checkpoint reads its headers only; tensor data is read by position on demand. No code in a
file is run or imported, and nothing is unpickled. This package does not depend on masks, pruning
methods or documents.
"""
