"""What a step would do: estimate at once, preview exactly."""
