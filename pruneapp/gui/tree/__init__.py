"""The module tree and the list of tensors: check marks, columns, filter, sparsity bars.

Made for 100,000 tensors: nothing here may cost time for each row of a file on the main thread.
"""
