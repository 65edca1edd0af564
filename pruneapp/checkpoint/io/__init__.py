"""Reading bytes by position and writing files atomically, independent of file formats."""
