from __future__ import annotations

import gzip
import json

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Selector
from accelerator_portal.install.resolution import payload
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.build import published_scripts
from accelerator_portal.site.languages import ENGLISH
from tests.built_site import Site
from tests.folders import REPOSITORY

MOST = 1_800  # bytes for each platform

SCRIPTS = REPOSITORY / "site_src/scripts"
STYLES = REPOSITORY / "site_src/styles"


MOST_OF_SITE = 61_000_000  # bytes
MOST_OF_PLATFORM = 4_000_000  # bytes for each platform with results
MOST_OF_PAGE = 400_000  # bytes
MOST_ELEMENTS = 6_000

# Pages that are still too large, with their bytes and elements: they may only become smaller.
LARGE_PAGES = {
    "compute-platforms/cuda/": (467_000, 8_750),
    "contribute/format/": (203_000, 6_300),
    "compute-platforms/rocm/": (400_000, 6_350),
    "hardware/": (470_000, 11_000),
    "questions/": (585_000, 6_950),
    "zh/compute-platforms/cuda/": (504_000, 9_200),
    "zh/compute-platforms/rocm/": (400_000, 6_800),
    "zh/hardware/": (518_000, 11_900),
    "zh/questions/": (625_000, 7_300),
}


def zipped(data: bytes) -> int:
    return len(gzip.compress(data, mtime=0))


def test_the_selector_weighs_little(catalog: Catalog, selector: Selector) -> None:
    """Its data, scripts and styles, as a server sends them."""
    rows = ENGLISH.translate_data(payload(selector))
    data = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()
    scripts = {file.path.rpartition("/")[2]: file.content for file in published_scripts(REPOSITORY)}
    texts = {name: text for name, text in scripts.items() if name.startswith("selector")}
    assert len(texts) == len([*SCRIPTS.glob("selector*")]) > 1
    texts |= {file.name: file.read_text("utf-8") for file in STYLES.glob("selector*")}
    sizes = {name: zipped(text.encode()) for name, text in texts.items()} | {"data": zipped(data)}
    assert sum(sizes.values()) <= MOST * len(catalog.platforms), sizes


def test_the_site_is_small(site: Site) -> None:
    size = sum(file.stat().st_size for file in site.root.rglob("*") if file.is_file())
    with_results = {stored.report.accelerator for stored in stored_reports(site.catalog)[0]}
    assert size <= MOST_OF_SITE
    assert size <= MOST_OF_PLATFORM * len(with_results)


def test_every_page_is_small(site: Site) -> None:
    large = {}
    for address, page in site.pages.items():
        size = len(page.html.encode()), len(page.tree.css("*"))
        most = LARGE_PAGES.get(address, (MOST_OF_PAGE, MOST_ELEMENTS))
        if size[0] > most[0] or size[1] > most[1]:
            large[address] = size
    assert large == {}
