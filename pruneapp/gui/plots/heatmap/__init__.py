"""The heat map of the weights: tiles, viewport, selection tools, legend.

Tiles are computed in ``analysis``; here they are asked for and painted.
"""
