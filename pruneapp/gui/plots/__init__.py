"""Plots of a tensor and of the model, one page for each.

Plots receive results and paint them; they do not compute. ``heading`` needs only Qt. All other
modules import pyqtgraph, which takes 200 ms, so they are imported after the first paint of the
window.
"""
