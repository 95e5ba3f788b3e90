"""Builds the site's JSON files about platforms, install options and releases, and their schemas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from typing import Any

from packaging.version import Version
from pydantic import BaseModel

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import PackageFacts
from accelerator_portal.catalog.schema import SCHEMA_MODELS, model_schema
from accelerator_portal.install.additional_platforms import (
    AdditionalPlatform,
    AdditionalPlatforms,
    Commands,
    additional_platform_id,
)
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.hardware_limits import row_ranges
from accelerator_portal.install.payload import Card, payload, payload_overview
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.anchors import slug
from accelerator_portal.site.api_shapes import (
    AcceleratorFile,
    FindingsData,
    Index,
    IndexEntry,
    InstallData,
    InstallDataOfAll,
    Question,
    QuestionIndex,
    SelectorData,
)
from accelerator_portal.site.difference import Difference
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.nightly_metrics_page import OPERATIONS, Operations
from accelerator_portal.site.packages_pages import PackagesIndex
from accelerator_portal.site.platforms.features import FeaturesData
from accelerator_portal.site.platforms.hardware import HardwareData
from accelerator_portal.site.platforms.hardware_cards import (
    card_name,
    card_remark,
    cards_by_id,
    is_uncertain,
)
from accelerator_portal.site.platforms.release_pages import VersionsData
from accelerator_portal.site.results.history_shapes import (
    HistoryData,
    HistoryIndex,
    HistoryShard,
    TestHistoryIndex,
)
from accelerator_portal.site.results.model_shapes import FamiliesIndex, FamilyData
from accelerator_portal.site.results.results_shapes import (
    Badge,
    QualityData,
    ReportRowsIndex,
    ReportRowsShard,
    ResultsIndex,
    SuiteResults,
    TestShard,
    TestsIndex,
)
from accelerator_portal.site.site_file import API, SiteFile, data_file
from accelerator_portal.site.stale_facts_page import STALE_FACTS, SourceAges
from accelerator_portal.site.vendor_text import render_vendor_text
from accelerator_reports.files.fields import Os
from accelerator_reports.report import Report

ADDITIONAL_PLATFORMS = "additional-platforms.json"
PLATFORM_INSTALL_PATH = "install/{platform}.json"
OTHER_BACKENDS = "other-backends.json"

# Computed data that gets a schema, in addition to the contributed files.
API_MODELS: dict[str, type[BaseModel]] = {
    "index": Index,
    "accelerator-file": AcceleratorFile,
    "selector-data": SelectorData,
    "install-data": InstallData,
    "install-data-of-all": InstallDataOfAll,
    "findings": FindingsData,
    "hardware": HardwareData,
    "versions": VersionsData,
    "features": FeaturesData,
    "question-index": QuestionIndex,
    "report": Report,
    "results": ResultsIndex,
    "suite-results": SuiteResults,
    "model-results": FamiliesIndex,
    "family-results": FamilyData,
    "quality": QualityData,
    "history": HistoryData,
    "histories": HistoryIndex,
    "test-histories": TestHistoryIndex,
    "test-history": HistoryShard,
    "suite-tests": TestsIndex,
    "tests-of-suite": TestShard,
    "report-rows": ReportRowsIndex,
    "rows-of-report": ReportRowsShard,
    "badge": Badge,
    "difference": Difference,
    "packages": PackagesIndex,
    "package": PackageFacts,
    "additional-platforms": AdditionalPlatforms,
    "stale-facts": SourceAges,
    "operations": Operations,
}

# The operating systems for which pytorch.org's selector shows commands of additional platforms.
_SYSTEMS: tuple[Os, ...] = ("linux", "windows")
_CONTAINER = re.compile("container|docker", re.IGNORECASE)


def api_files(
    catalog: Catalog,
    selector: Selector,
    hardware: HardwareData,
    versions: VersionsData,
    features: FeaturesData,
) -> Iterator[SiteFile]:
    """Yield the JSON files about platforms, install options and releases, and all JSON Schemas.

    Their paths are below `/api/v1/`. There is an index, one file for each kind of data, such as
    `hardware.json`, and one file for each schema. Each platform has `accelerators/<id>.json` and
    `install/<id>.json`.
    """
    yield data_file("index.json", _index(catalog))
    yield data_file("selector.json", _selector_overview(catalog, selector))
    install = {
        p.id: ENGLISH.translate_data(_install_data(catalog, selector, p)) for p in catalog.platforms
    }
    yield data_file("install.json", {"platforms": install})
    yield data_file("releases.json", catalog.releases)
    yield data_file("hardware.json", hardware)
    yield data_file("versions.json", versions)
    yield data_file("features.json", features)
    yield data_file(ADDITIONAL_PLATFORMS, additional_platforms(catalog))
    if catalog.other_backends:
        yield data_file(OTHER_BACKENDS, catalog.other_backends)
    for platform in catalog.platforms:
        yield data_file(f"accelerators/{platform.id}.json", _accelerator_file(platform))
        yield data_file(f"install/{platform.id}.json", install[platform.id])
    for name, model in SCHEMA_MODELS.items():
        yield SiteFile(f"{API}/{_schema_path(name)}", model_schema(model))
    for name, model in API_MODELS.items():
        yield SiteFile(f"{API}/{_schema_path(name)}", model_schema(model, "serialization"))


def selector_files(catalog: Catalog, selector: Selector, language: Language) -> Iterator[SiteFile]:
    """Yield the install selector's JSON files with texts in a language.

    The files are `selector.json` and each platform's `install/<id>.json`. The paths start with the
    language's code: `zh/api/v1/selector.json`.
    """
    files = {"selector.json": _selector_overview(catalog, selector)} | {
        PLATFORM_INSTALL_PATH.format(platform=platform.id): _install_data(
            catalog, selector, platform
        )
        for platform in catalog.platforms
    }
    for path, data in files.items():
        file = data_file(path, language.translate_data(data))
        yield replace(file, path=language.path(file.path))


def _install_data(catalog: Catalog, selector: Selector, platform: Platform) -> dict[str, Any]:
    """Return the content of a platform's `install/<id>.json`: its install rows and their texts.

    An install row has the commands for one valid selection in the install selector. The content
    includes the platform's hardware cards. Each card states which install rows run on the card, as
    ranges of row indexes.
    """
    platform_selector = selector.only(platform.id)
    data = payload(platform_selector, {platform.id: _cards(catalog, platform_selector, platform)})
    return {"containers": _container_sections([platform]), **data}


def _selector_overview(catalog: Catalog, selector: Selector) -> dict[str, Any]:
    """Return the content of `selector.json`: what readers can select, and the default values.

    The commands for each selection (install rows) are not included; `install/<id>.json` has them.
    """
    names = {
        platform.id: {
            card: Card(card_name(platform, generation))
            for card, generation in cards_by_id(platform).items()
        }
        for platform in catalog.platforms
    }
    containers = _container_sections(catalog.platforms)
    return {
        "parts": PLATFORM_INSTALL_PATH,
        "containers": containers,
        **payload_overview(selector, names),
    }


def _container_sections(platforms: Iterable[Platform]) -> dict[str, str]:
    """Return the id of the guide section about containers for each platform, by platform id.

    This is the section that mentions containers or Docker most often. Platforms without such a
    section are omitted.
    """
    section_by_platform = {}
    for platform in platforms:
        counts = {slug(s.title): len(_CONTAINER.findall(s.text)) for s in platform.guide.sections}
        section, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
        if count:
            section_by_platform[platform.id] = section
    return section_by_platform


def _cards(catalog: Catalog, selector: Selector, platform: Platform) -> dict[str, Card]:
    return {
        card: Card(
            card_name(platform, generation),
            card_remark(generation),
            is_uncertain(generation),
            row_ranges(catalog, selector.numbered_rows.get(platform.id, []), generation),
        )
        for card, generation in cards_by_id(platform).items()
    }


def _schema_path(name: str) -> str:
    return f"schema/{name}.schema.json"


def _index(catalog: Catalog) -> Index:
    return Index(
        api_version=1,
        newest_release=catalog.releases.newest.version,
        releases="releases.json",
        selector="selector.json",
        install="install.json",
        findings="findings.json",
        questions="questions.json",
        hardware="hardware.json",
        versions="versions.json",
        features="features.json",
        additional_platforms=ADDITIONAL_PLATFORMS,
        other_backends=OTHER_BACKENDS if catalog.other_backends else None,
        stale_facts=STALE_FACTS,
        operations=OPERATIONS,
        packages="packages.json",
        results="results/index.json",
        models="models.json",
        history="history/index.json",
        quality="quality.json",
        accelerators=tuple(
            IndexEntry.from_objects(
                platform.accelerator,
                id=platform.id,
                integration=platform.accelerator.integration.value,
                dispatch_key=platform.accelerator.dispatch_key.value,
                device=platform.accelerator.device.value,
                accelerator=f"accelerators/{platform.id}.json",
                install=f"install/{platform.id}.json",
            )
            for platform in catalog.platforms
        ),
        schemas={name: _schema_path(name) for name in (*SCHEMA_MODELS, *API_MODELS)},
    )


def _accelerator_file(platform: Platform) -> AcceleratorFile:
    return AcceleratorFile.from_objects(
        platform,
        guide={section.title: section.text for section in platform.guide.sections},
        faq=tuple(Question(question=s.title, answer=s.text) for s in platform.faq.sections),
    )


def additional_platforms(catalog: Catalog) -> AdditionalPlatforms:
    """Return the platforms that pytorch.org's own selector lacks, with their pip commands.

    Platforms without a pip command for a release on Linux or Windows are omitted. `generated_at` in
    the result is the newest day on which somebody read a source of any platform. The time of the
    build is not used, so an unchanged catalog gives an unchanged file.
    """
    listed = [(p, entry) for p in catalog.platforms if (entry := _additional_platform(catalog, p))]
    days = [
        s.read for p in catalog.platforms for _, file in p.sourced_files() for s in file.values()
    ]
    return AdditionalPlatforms(
        schema_version=1,
        generated_at=f"{max(days)}T00:00:00+00:00" if days else None,
        platforms={additional_platform_id(platform): entry for platform, entry in listed},
        html={additional_platform_id(platform): _guide_html(platform) for platform, _ in listed},
    )


def _additional_platform(catalog: Catalog, platform: Platform) -> AdditionalPlatform | None:
    if platform.id in catalog.defaults.primary:
        return None
    rows = [row for row in rows_by_platform(catalog)[platform.id] if row.method == "pip"]
    stable = _commands(platform, [row for row in rows if row.build != PREVIEW])
    if stable is None:
        return None
    return AdditionalPlatform(
        name=platform.accelerator.name,
        support_channel=platform.accelerator.support[0].url,
        stable=stable,
        preview=_commands(platform, [row for row in rows if row.build == PREVIEW]),
    )


def _commands(platform: Platform, rows: list[InstallRow]) -> Commands | None:
    lines = {
        os: _newest_command_line(platform, [row for row in rows if row.os == os]) for os in _SYSTEMS
    }
    return Commands(**lines) if any(lines.values()) else None


def _newest_command_line(platform: Platform, rows: list[InstallRow]) -> str | None:
    """Return the install commands of the newest build in `rows`, joined by `&&`.

    If several rows have this build, a row for x86_64 is preferred, then the variant that comes
    first in `install.yaml`. None if `rows` is empty.
    """
    if not rows:
        return None
    variants = [variant.id for variant in platform.install.variants]
    newest = max((row.build for row in rows if row.build != PREVIEW), key=Version, default=PREVIEW)
    best = min(
        (row for row in rows if row.build == newest),
        key=lambda row: (
            row.arch != "x86_64",
            variants.index(row.variant) if row.variant in variants else 0,
        ),
    )
    return " && ".join(best.commands)


def _guide_html(platform: Platform) -> str:
    """Return a platform's `guide.md` as HTML, with a list of its sources instead of citations.

    Ids in the HTML start with the platform's `additional_platform_id`, because pytorch.org shows
    all guides on one page.
    """
    parts = [f"<h1>Installing on {escape(platform.accelerator.name)}</h1>\n"]
    for section in platform.guide.sections:
        anchor = f"{additional_platform_id(platform)}-{slug(section.title)}"
        html = render_vendor_text(section.text, anchor, lambda _: None)
        parts.append(f'<h2 id="{anchor}">{section.title}</h2>\n{html}')
    links = "".join(
        _source_item(source.title, source.url) for source in platform.guide.sources.values()
    )
    return (
        "".join(parts)
        + f'<h2 id="{additional_platform_id(platform)}-sources">Sources</h2>\n<ul>\n{links}</ul>\n'
    )


def _source_item(title: str, url: str | None) -> str:
    text = escape(title)
    return f'<li><a href="{escape(url)}">{text}</a></li>\n' if url else f"<li>{text}</li>\n"
