"""Work that outlives the window: session files, and the journal of what is not saved yet.

What is written here can be read by every later version.
"""
