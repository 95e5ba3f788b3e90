"""Catalog → pages and data files, as paths and contents. Knows nothing of MkDocs."""

from accelerator_portal.site.build import RepositoryLinks, build_site
from accelerator_portal.site.page import SiteFile

__all__ = ["RepositoryLinks", "SiteFile", "build_site"]
