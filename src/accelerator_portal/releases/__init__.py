"""Updates `data/releases.yaml` from package indexes, and compares it with PyTorch's own lists.

Also compares the releases with each other.
"""
