"""Exports after a failed system call or a killed process."""
