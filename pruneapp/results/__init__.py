"""What views are given: frozen, numpy only, no Qt and nothing of the engine.

A result is made by a job from a snapshot, and is true of the revision that it names. The request
of an export, which its dialog makes, stands beside what comes of it.
"""
