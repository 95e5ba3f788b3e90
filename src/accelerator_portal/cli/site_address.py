"""Where the site stands, for messages that lead to one of its pages."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

VARIABLE = "PORTAL_SITE_URL"
LOCAL = "http://127.0.0.1:8000/"

_REPOSITORY = re.compile(r"^repo_url: https://github\.com/([\w.-]+)/([\w.-]+)$", re.MULTILINE)


def site_address(root: Path) -> str:
    """Return the site's address, with a slash at its end.

    It is that of GitHub Pages for the repository that `mkdocs.yml` names, unless the environment
    names another one; without either, the address at which `make serve` shows the site.
    """
    given = os.environ.get(VARIABLE)
    return f"{given.rstrip('/')}/" if given else _pages(root)


@lru_cache(maxsize=4)
def _pages(root: Path) -> str:
    try:
        found = _REPOSITORY.search((root / "mkdocs.yml").read_text("utf-8"))
    except (OSError, ValueError):
        found = None
    return f"https://{found[1]}.github.io/{found[2]}/" if found else LOCAL
