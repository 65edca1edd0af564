"""The main window, its panels, and the workbench that connects all parts.

Code of a single feature belongs in the package of the feature.
"""
