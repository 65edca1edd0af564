"""The Compare page: two states or files side by side, and combining their masks.

The comparison itself is computed in ``analysis`` and ``edits``.
"""
