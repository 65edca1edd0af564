"""The heatmap of the weights: canvas, viewport, selection tools, legend and tile requests.

Tiles are computed in ``analysis``; here they are requested and painted.
"""
