"""Reads what indexes publish of a PyTorch release, writes its entry, and checks and compares it."""
