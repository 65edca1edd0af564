"""Collecting statistics of activations in the window: the choice of inputs and file, and the job.

The statistics are collected in ``evaluation``, their file format is in ``statistics``.
"""
