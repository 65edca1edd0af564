"""Choosing the script, data and Python to evaluate a model with, and the consent to run a script.

Scripts, and the process that runs them, are in the package ``evaluation``.
"""
