"""The isomorphic questions (paper, appendix P): one feasible design of one brief, asked for in three forms."""
