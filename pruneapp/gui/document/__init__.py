"""The open document in the window."""
