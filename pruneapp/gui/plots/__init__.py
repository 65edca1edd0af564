"""The plots of a tensor and of the model, a page for each.

A plot is given answers and paints them. ``heading`` needs Qt alone; the rest imports pyqtgraph,
which takes 200 ms, and so is imported after the first paint of the window.
"""
