"""The main window: its frame, its panels, and the workbench that connects everything.

What belongs to one feature stands in the folder of that feature.
"""
