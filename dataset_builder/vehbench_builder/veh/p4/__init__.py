"""P4, ranking under a policy. Start with `p4`."""
