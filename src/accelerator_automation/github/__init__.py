"""GitHub's API: an interface, a client, and authentication as a GitHub App."""
