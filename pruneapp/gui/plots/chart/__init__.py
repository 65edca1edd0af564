"""Charts of bars in three colors: kept, pruned, and hatched what is to be pruned.

Which numbers they show is decided by the page.
"""
