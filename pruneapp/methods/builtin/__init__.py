"""The built-in methods, with a module for each family.

To add a method, declare it here or in an installed plugin.
"""
