"""Controllers for opening files, saving sessions, autosave, and recovery after a crash.

Files are read and written by the packages ``sessions`` and ``checkpoint``.
"""
