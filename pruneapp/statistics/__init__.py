"""Statistics of activations: what was seen of the inputs of each weight, as files.

Sums over the rows that went into the products of a model. How they are collected belongs to
`pruneapp.evaluation`; what ranks weights by them to `pruneapp.methods`.
"""
