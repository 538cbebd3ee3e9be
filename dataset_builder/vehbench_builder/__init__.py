"""Building of task banks. `sample` makes the small bank that ships with the package."""
