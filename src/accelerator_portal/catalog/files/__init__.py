"""Models the files that vendors and the portal maintain, with one module for each kind of file."""
