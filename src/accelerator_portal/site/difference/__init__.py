"""Compares two built sites, and writes the difference as Markdown and JSON."""

from accelerator_portal.site.difference.comparison import compare
from accelerator_portal.site.difference.markdown import markdown
from accelerator_portal.site.difference.shapes import Difference
from accelerator_portal.site.difference.site_state import read_state

__all__ = ["Difference", "compare", "markdown", "read_state"]
