"""Work that outlives the window: session files, and the journal of what is not saved yet."""
