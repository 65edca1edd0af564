"""Benchmarks of speed, memory and responsiveness: ``python3 packaging/dev.py bench [SUBJECT
...]``.
"""
