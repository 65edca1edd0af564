"""The open document of a window: changes to it, and its history.

Only this package commits changes to the document; views are updated by its signals.
"""
