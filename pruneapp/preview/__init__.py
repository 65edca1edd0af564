"""What a step would do: estimated at once from histograms, previewed exactly from the weights.

Nothing here changes a document: a preview is a proposal to it.
"""
