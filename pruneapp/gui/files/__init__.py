"""Opening files, saving sessions, autosave, and recovery after a crash.

Reading and writing is the work of ``sessions`` and ``checkpoint``.
"""
