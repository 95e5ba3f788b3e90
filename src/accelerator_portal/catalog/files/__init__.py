"""Models of the files that vendors and the portal keep: one module for each kind of file."""
