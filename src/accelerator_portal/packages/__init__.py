"""What package indexes publish, and whether the versions of a command exist together."""
