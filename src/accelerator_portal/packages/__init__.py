"""What package indexes hold, and whether the versions of a command exist together."""
