"""The PyTorch accelerator portal: where PyTorch runs, how to install it, how well it works."""
