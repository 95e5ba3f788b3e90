"""Builds the pages about platforms: their own pages, comparison, features, hardware, questions."""
