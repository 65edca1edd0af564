"""Methods that rank by magnitude."""
