"""Previews of a step: estimates from histograms, and exact results from the weights.

Nothing here changes a document: an exact preview is a proposal for it.
"""
