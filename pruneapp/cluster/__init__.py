"""Prune and export on a Dask cluster, with the same steps and bytes as on one machine.

This package contains what is sent between the client and its workers, and the tasks of the workers.
It defines no pruning methods, formats or rules: a worker calls the same code as a single machine.
"""
