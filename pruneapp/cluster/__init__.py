"""Running on a Dask cluster: the same steps and the same bytes as on one machine.

Here belongs what travels between the client and its workers, and what each of them does. A method,
a format or a rule of pruning is none of it: a worker calls what a single machine calls. Nothing
imports ``distributed`` before a cluster is asked for.
"""
