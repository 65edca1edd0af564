"""Files with statistics of activations: sums over the inputs of each weight.

The sums are over the rows of inputs in a model's matrix products. `pruneapp.evaluation` collects
them; `pruneapp.methods` ranks weights by them.
"""
