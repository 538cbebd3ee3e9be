"""For maintainers: from what papers report to complete devices, and the report on how far each number is sourced."""
