"""Opening checkpoints, headers only and never running code; writing files so that none is lost.

What a file holds and where, read by position; the formats that can be opened; atomic files.
Nothing here knows of masks in force, methods or documents, and nothing unpickles or imports what a
file names.
"""
