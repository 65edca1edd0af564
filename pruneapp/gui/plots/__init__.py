"""What a person looks at: a tensor's weights, their distribution, its channels, the model.

``heading`` and ``numbers`` need Qt alone; the rest imports pyqtgraph, which takes 200 ms, and so
is imported after the window's first paint.
"""
