"""Readers of safetensors files, ours and sharded ones among them.

The formats of torch stand in ``checkpoint.torchfile``. A reader checks everything that a header
claims before it is believed, and reads no tensor while it opens a file.
"""
