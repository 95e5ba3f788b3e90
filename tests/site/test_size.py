from __future__ import annotations

import gzip
import json

from accelerator_portal.install import Selector
from accelerator_portal.install.payload import payload
from tests.folders import REPOSITORY

MOST = 40_000

ASSETS = REPOSITORY / "site_src/pages/assets"


def zipped(data: bytes) -> int:
    return len(gzip.compress(data, mtime=0))


def test_the_selector_weighs_little(selector: Selector) -> None:
    """Its data, scripts and styles, as a server sends them."""
    data = json.dumps(payload(selector), ensure_ascii=False, separators=(",", ":")).encode()
    files = sorted(ASSETS.glob("*/selector*"))
    assert {file.suffix for file in files} == {".js", ".css"}
    sizes = {file.name: zipped(file.read_bytes()) for file in files} | {"data": zipped(data)}
    assert sum(sizes.values()) <= MOST, sizes
