"""Session files, and the journal that recovers unsaved work after a crash.

All later versions can read the files that this package writes.
"""
