"""Application-wide parts of the window: jobs, settings, notices, dialogs, the runtime.

Nothing in this package depends on a feature or on an open document.
"""
