"""Jobs of GitHub Actions with write access: the nightly update and tests of PyTorch's changes."""
