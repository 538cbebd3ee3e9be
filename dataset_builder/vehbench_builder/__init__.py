"""Building of task banks."""
