"""P3, recovery from a history gone wrong. Start with `p3`."""
