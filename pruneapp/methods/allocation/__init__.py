"""Methods that say how much each tensor gives; of each its smallest weights go."""
