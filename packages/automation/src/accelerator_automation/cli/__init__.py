"""The commands of this package: the night, the archive, upstream events and pull requests."""
