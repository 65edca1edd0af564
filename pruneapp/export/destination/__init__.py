"""Where an export goes: a file, a folder, shards, and the files beside the weights.

What is in the files is decided elsewhere.
"""
