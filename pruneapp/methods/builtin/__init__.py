"""The methods that come with Pruneapp, a file for each family.

A further method is one declaration here, or in an installed package of another.
"""
