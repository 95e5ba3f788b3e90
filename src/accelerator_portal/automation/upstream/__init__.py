"""PyTorch's changes, tested on platforms outside of it, and answered on the pull request."""
