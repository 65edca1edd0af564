"""What a person sees. Views are told frozen answers and announce wishes by signals."""
