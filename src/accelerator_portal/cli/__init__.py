"""The commands of this package: catalog, checks, packages, results and site."""
