"""Which script, text or file a model is run with, by which Python; and the consent to run it.

What a script is, and the process that runs it, stand in ``evaluation``.
"""
