"""GitHub's API: what the automation needs of it, and the client that calls it."""
