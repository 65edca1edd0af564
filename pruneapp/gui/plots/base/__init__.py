"""What every plot is made of."""
