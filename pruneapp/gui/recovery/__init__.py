"""Recover: the choice of its inputs, the running training, and the report.

The training runs in the worker; ``evaluation.recovery`` requests it.
"""
