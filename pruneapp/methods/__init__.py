"""Pruning methods, their amounts and limits, and their application to tensors.

A method is a declaration from which the form, the command line, recipes and help are derived; the
built-in ones are in ``methods.builtin``. Arithmetic that several methods share, or that also runs
on the GPU, belongs in ``kernels``.
"""
