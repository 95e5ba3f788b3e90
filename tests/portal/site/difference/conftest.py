from __future__ import annotations

from tests.portal.site.difference.two_sites import after, example

__all__ = ["after", "example"]
