"""Renders what readers see of platforms: their pages, comparison, features, hardware, questions."""
