"""Builds pages and data files from a catalog, as paths and contents, without MkDocs."""

from accelerator_portal.site.build import RepositoryLinks, build_site
from accelerator_portal.site.page import SiteFile

__all__ = ["RepositoryLinks", "SiteFile", "build_site"]
