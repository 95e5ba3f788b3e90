"""Reads `accelerators/` and `data/` into one typed, immutable Catalog, and collects problems."""

from accelerator_portal.catalog.catalog import Catalog, Platform
from accelerator_portal.catalog.loader import load_catalog
from accelerator_reports.files.problem import Problem, ProblemsError

__all__ = ["Catalog", "Platform", "Problem", "ProblemsError", "load_catalog"]
