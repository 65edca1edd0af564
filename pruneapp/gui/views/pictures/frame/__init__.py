"""What every picture has around it: messages, a legend, a read-out, a table, ways to take it."""
