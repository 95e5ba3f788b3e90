"""Jobs of GitHub Actions with write access: the nightly update and answers to PyTorch's changes."""
