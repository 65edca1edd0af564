"""What views are told: frozen, numpy only, no Qt and nothing of the engine.

An answer is made by a job from a snapshot, and is true for the revision that it names.
"""
