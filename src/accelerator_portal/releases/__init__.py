"""A PyTorch release: what indexes publish of it, its entry, and what the portal claims of it."""
