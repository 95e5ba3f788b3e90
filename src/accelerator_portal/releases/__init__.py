"""Reads PyTorch releases from package indexes; updates and compares `data/releases.yaml`."""
