"""Pruning methods, their amounts and limits; and running one over tensors.

A method is a declaration from which form, command line, recipes and help follow; the built-in ones
stand in ``methods.builtin``. The arithmetic belongs in ``kernels``.
"""
