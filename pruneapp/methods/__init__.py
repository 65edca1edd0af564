"""Pruning methods, their amounts and limits; and running one over tensors.

A method is a declaration from which form, command line, recipes and help follow; the built-in ones
stand in ``methods.builtin``. Arithmetic that several of them share, or that has a version for the
GPU, belongs in ``kernels``.
"""
