"""Repair: the choice of its inputs, the job, and the report of each layer.

The repair is computed in ``repair``, its statistics are collected in ``evaluation``.
"""
