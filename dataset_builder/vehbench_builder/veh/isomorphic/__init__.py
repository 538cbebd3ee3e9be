"""The isomorphic questions: one feasible design of one brief, asked for in three forms."""
