from __future__ import annotations

import gzip
import json

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Selector
from accelerator_portal.install.payload import payload
from tests.folders import REPOSITORY

MOST = 1_650  # bytes for each platform

SCRIPTS = REPOSITORY / "site_src/pages/assets/scripts"
STYLES = REPOSITORY / "site_src/styles"


def zipped(data: bytes) -> int:
    return len(gzip.compress(data, mtime=0))


def test_the_selector_weighs_little(catalog: Catalog, selector: Selector) -> None:
    """Its data, scripts and styles, as a server sends them."""
    data = json.dumps(payload(selector), ensure_ascii=False, separators=(",", ":")).encode()
    files = sorted([*SCRIPTS.glob("selector*"), *STYLES.glob("selector*")])
    assert {file.suffix for file in files} == {".js", ".css"}
    sizes = {file.name: zipped(file.read_bytes()) for file in files} | {"data": zipped(data)}
    assert sum(sizes.values()) <= MOST * len(catalog.platforms), sizes
