"""A PyTorch release: what indexes publish, its entry, and what the portal claims about it."""
