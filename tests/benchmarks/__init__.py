"""Benchmarks of speed, memory and latency: ``python3 packaging/dev.py bench [SUBJECT ...]``."""
