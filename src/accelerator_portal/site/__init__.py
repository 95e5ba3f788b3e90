"""Catalog → pages and data files, as paths and contents. Knows nothing of MkDocs."""

from accelerator_portal.site.build import Repository, build_site
from accelerator_portal.site.page import SiteFile

__all__ = ["Repository", "SiteFile", "build_site"]
