"""Creates vendors' folders, updates lists of models, and writes CODEOWNERS and issue forms."""
