"""Methods that take away whole channels by their norm."""
