"""Drafts vendors' folders, and writes the files by which GitHub knows their owners."""
