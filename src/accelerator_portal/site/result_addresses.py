"""Where a test stands on the site: an address that never changes."""

from __future__ import annotations

import hashlib
from string import ascii_lowercase

from accelerator_portal.catalog import Catalog
from accelerator_portal.site.anchors import slug

RESULTS_PAGES = "results"

# Suites of these kinds have thousands of tests: a page for each initial. By kind and not by number,
# so that no link breaks when a suite grows.
_BY_INITIAL = {"operator", "unit"}


def anchor_of(name: str) -> str:
    """Return the id of a test on the page of its suite; names differ in more than letters.

    The hash keeps `a b-c` and `a-b c` apart: anybody's report may have both.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"test-{slug(name)}-{digest[:8]}"


def address_of(catalog: Catalog, suite: str, name: str) -> str:
    """Return where a test stands, from `results/`: `torchbench/tests/#test-alexnet-123`."""
    page = f"{initial(name)}/" if by_initial(catalog, suite) else ""
    return f"{suite}/tests/{page}#{anchor_of(name)}"


def by_initial(catalog: Catalog, suite: str) -> bool:
    """Say whether a suite's tests have a page for each initial."""
    described = catalog.suites.get(suite)
    return described is not None and described.kind in _BY_INITIAL


def initial(name: str) -> str:
    """Return the letter under which a test stands; `0` where it begins with none of a to z."""
    letter = name[:1].lower()
    return letter if letter in set(ascii_lowercase) else "0"
