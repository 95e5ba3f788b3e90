from __future__ import annotations

import gzip
import json

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Selector
from accelerator_portal.install.resolution import payload
from accelerator_portal.site.build import published_scripts
from accelerator_portal.site.languages import ENGLISH
from tests.folders import REPOSITORY

MOST = 1_800  # bytes for each platform

SCRIPTS = REPOSITORY / "site_src/scripts"
STYLES = REPOSITORY / "site_src/styles"


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
