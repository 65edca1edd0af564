"""The module tree and the list of tensors: check marks, columns, filter, sparsity bars.

Made for 100,000 tensors: no code on the main thread may take time per row of the file.
"""
