"""The command of this package: `accelerator-portal validate`."""
