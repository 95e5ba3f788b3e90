"""Builds the site's pages and data files from the catalog, without MkDocs.

The catalog is everything that vendors and the project wrote: their YAML and Markdown files. Each
page or data file is a `SiteFile`, a path with its content.
"""

from accelerator_portal.site.build import build_site
from accelerator_portal.site.site import Edition, RepositoryLinks
from accelerator_portal.site.site_file import SiteFile

__all__ = ["Edition", "RepositoryLinks", "SiteFile", "build_site"]
