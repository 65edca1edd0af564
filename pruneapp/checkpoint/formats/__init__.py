"""Readers of file formats other than those of torch, which are in ``checkpoint.torchfile``.

A reader validates all statements of a header, and reads no tensor data when it opens a file.
"""
