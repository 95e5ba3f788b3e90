"""The kinds of pages that there are; tests of looks and manners go through all of them.

Every page of the navigation is one. The others come in families, each made from one template: one
page stands for all. `test_kinds.py` finds a page of the built site that belongs nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mkdocs.utils.yaml import yaml_load

from accelerator_portal.catalog import load_catalog
from accelerator_reports.files.folders import ACCELERATORS
from tests.browser.watched import MISSING
from tests.built_site import REPOSITORY

_CATALOG, _ = load_catalog(REPOSITORY)
_IDS = [platform.id for platform in _CATALOG.platforms] if _CATALOG else []

PLATFORMS = [f"compute-platforms/{platform}/" for platform in _IDS]
RELEASE = f"versions/{_CATALOG.releases.newest.version}/" if _CATALOG else ""
# The one with the most to show.
FULLEST = max(
    PLATFORMS,
    key=lambda page: sum(
        file.stat().st_size
        for file in (REPOSITORY / ACCELERATORS / page.split("/")[1]).iterdir()
        if file.is_file()
    ),
)


def _addresses(entries: object) -> Iterator[str]:
    """The addresses of the pages below an entry of `nav`."""
    if isinstance(entries, str):
        yield re.sub(r"(^|/)index\.md$", r"\1", entries).replace(".md", "/")
    elif isinstance(entries, dict):
        for below in entries.values():
            yield from _addresses(below)
    elif isinstance(entries, list):
        for entry in entries:
            yield from _addresses(entry)


with (REPOSITORY / "mkdocs.yml").open(encoding="utf-8") as _file:
    NAVIGATION = list(_addresses(yaml_load(_file)["nav"]))

CHINESE = [
    f"zh/{page}"
    for page in (
        *("", "get-started/", "questions/", "compute-platforms/", "hardware/", "compare/"),
        *("features/", "versions/", "glossary/", "other-ways/", "run-anywhere/", "results/"),
        *("results/dashboard/", "results/by-model/", "contribute/", "versions/upgrade/"),
    )
]

FAMILIES = {
    re.compile(r"compute-platforms/[^/]+/"): FULLEST,
    re.compile(r"versions/\d[^/]*/"): RELEASE,
    re.compile(r"results/runs/[^/]+/"): "results/runs/ascend-torchbench-2024-10/",
    re.compile(r"results/by-model/[^/]+/"): "results/by-model/llama/",
    re.compile(r"results/[^/]+/tests/"): "results/huggingface/tests/",
    re.compile(r"results/[^/]+/tests/[^/]+/"): "results/huggingface/tests/b/",
    re.compile(r"results/[^/]+/([^/]+/)?(\d+/)?"): "results/huggingface/",
    re.compile(r"404\.html"): MISSING,
    re.compile(r"zh/compute-platforms/[^/]+/"): "zh/compute-platforms/mlu/",
    re.compile(r"zh/versions/\d[^/]*/"): f"zh/{RELEASE}",
    re.compile(r"zh/results/by-model/[^/]+/"): "zh/results/by-model/llama/",
    **{re.compile(re.escape(page)): page for page in CHINESE},
}
"""What the addresses of a family look like, and the page that stands for it."""

KINDS = [*NAVIGATION, *FAMILIES.values()]
# One template and other words: a few platforms stand for all.
OTHERS = [
    *[page for page in PLATFORMS if page != FULLEST][::4],
    *[page for page in KINDS if page.startswith("zh/")],
]


def name(address: str) -> str:
    """A name for the page in a test's id."""
    return address.strip("/").replace("/", "-") or "home"
