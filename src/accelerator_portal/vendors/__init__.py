"""Drafts vendors' folders, and writes GitHub's CODEOWNERS and issue forms."""
