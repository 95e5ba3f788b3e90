"""The kinds of pages that there are; tests of looks and manners go through all of them."""

from __future__ import annotations

from accelerator_portal.catalog import load_catalog
from accelerator_portal.catalog.catalog import ACCELERATORS
from tests.browser.visit import MISSING
from tests.built_site import REPOSITORY

_CATALOG, _ = load_catalog(REPOSITORY)
_IDS = [platform.id for platform in _CATALOG.platforms] if _CATALOG else []

PLATFORMS = [f"compute-platforms/{platform}/" for platform in _IDS]
_NEWEST = _CATALOG.releases.newest.version if _CATALOG else ""
# The one with the most to show.
FULLEST = max(
    PLATFORMS,
    key=lambda page: sum(
        file.stat().st_size
        for file in (REPOSITORY / ACCELERATORS / page.split("/")[1]).iterdir()
        if file.is_file()
    ),
)
SHARED = [
    "",
    "get-started/",
    "compute-platforms/",
    "hardware/",
    "compare/",
    "features/",
    "run-anywhere/",
    "questions/",
    "results/",
    "results/huggingface/",
    "results/huggingface/tests/",
    "results/runs/ascend-torchbench-2024-10/",
    "results/dashboard/",
    "results/standards/",
    "versions/",
    f"versions/{_NEWEST}/",
    "contribute/",
    "contribute/format/",
    "contribute/new-backend/",
    "contribute/report/",
    MISSING,  # 404.html
]
KINDS = [*SHARED, FULLEST]
# One template and other words: a few stand for all.
OTHERS = [page for page in PLATFORMS if page != FULLEST][::4]


def name(address: str) -> str:
    """A name for the page in a test's id."""
    return address.strip("/").replace("/", "-") or "home"
