"""One module a command; what several share lies one folder up."""
