"""P1, triage of briefs. Start with `p1`."""
