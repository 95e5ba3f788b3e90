"""Models of the files that vendors and the portal maintain: one module for each kind of file."""
