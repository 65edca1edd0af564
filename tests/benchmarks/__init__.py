"""Speed, memory and liveliness, measured: ``python3 packaging/dev.py bench [SUBJECT ...]``."""
