"""A vendor's folder from its first answers on, and the files by which GitHub knows its owners."""
