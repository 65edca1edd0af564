"""The open document in the window: what is done to it, and its history.

The one place that commits to a document; views hear of it by signals.
"""
