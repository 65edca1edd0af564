"""Repair: what it is to be computed from, the job, and what it did to each layer.

The repair itself is computed in ``repair``, its statistics are collected in ``evaluation``.
"""
