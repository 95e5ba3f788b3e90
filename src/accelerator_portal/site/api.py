"""Whatever a page shows, as JSON for machines under `/api/v1/`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.schema import SCHEMAS, schema_text
from accelerator_portal.install.payload import payload
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.page import SiteFile

API = "api/v1"


def api_files(catalog: Catalog, selector: Selector) -> Iterator[SiteFile]:
    """Yield the index, the selector's data, one file a platform, the releases, the schemas."""
    yield _file("index.json", _index(catalog))
    yield _file("install.json", payload(selector))
    yield _file("releases.json", catalog.releases.model_dump(mode="json", exclude_none=True))
    for platform in catalog.platforms:
        yield _file(f"accelerators/{platform.id}.json", _platform(platform))
        yield _file(f"install/{platform.id}.json", payload(selector.only(platform.id)))
    for name in SCHEMAS:
        yield SiteFile(f"{API}/schema/{name}.schema.json", schema_text(name))


def _file(path: str, data: Any) -> SiteFile:  # noqa: ANN401 - any JSON
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return SiteFile(f"{API}/{path}", text + "\n")


def _index(catalog: Catalog) -> dict[str, Any]:
    return {
        "api_version": 1,
        "newest_release": catalog.releases.newest.version,
        "releases": "releases.json",
        "install": "install.json",
        "accelerators": [
            {
                "id": platform.id,
                "name": platform.accelerator.name,
                "vendor": platform.accelerator.vendor,
                "accelerator": f"accelerators/{platform.id}.json",
                "install": f"install/{platform.id}.json",
            }
            for platform in catalog.platforms
        ],
        "schemas": [f"schema/{name}.schema.json" for name in SCHEMAS],
    }


def _platform(platform: Platform) -> dict[str, Any]:
    """The vendor's own files, as they are, keyed as the schemas name them."""
    return {
        "id": platform.id,
        "accelerator": platform.accelerator.model_dump(
            mode="json", by_alias=True, exclude_none=True
        ),
        "install": platform.install.model_dump(mode="json", exclude_none=True),
        "compatibility": platform.compatibility.model_dump(mode="json", exclude_none=True),
        "guide": {section.title: section.text for section in platform.guide.sections},
        "faq": [
            {"question": section.title, "answer": section.text} for section in platform.faq.sections
        ],
    }
