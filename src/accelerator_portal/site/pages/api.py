"""Builds the JSON files about platforms, install options and releases, and all JSON Schemas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from pydantic import BaseModel, Field

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.catalog.files.versions_file import Compatibility
from accelerator_portal.catalog.schema import SCHEMA_MODELS, model_schema, slug
from accelerator_portal.install.additional_platforms import (
    AdditionalPlatforms,
    additional_platform,
    additional_platform_id,
)
from accelerator_portal.install.hardware_support import DriverBounds, card_name, row_ranges
from accelerator_portal.install.resolution import Card, payload, payload_overview
from accelerator_portal.install.rows import InstallRow
from accelerator_portal.install.selector import Selector
from accelerator_portal.site.difference import Difference
from accelerator_portal.site.languages import ENGLISH
from accelerator_portal.site.pages import declared
from accelerator_portal.site.pages.hardware import (
    card_remark,
    cards_by_id,
    is_uncertain,
)
from accelerator_portal.site.pages.upgrades import removed_words
from accelerator_portal.site.site import Site
from accelerator_portal.site.site_file import API, SiteFile, data_file
from accelerator_portal.site.vendor_text import render_vendor_text
from accelerator_reports.files.fields import Integration, StrictModel


class IndexEntry(StrictModel):
    """A platform in the index of the data files. Addresses are relative to the index."""

    id: str
    """Id of the platform; never changes."""
    name: str
    """Name of the platform."""
    vendor: str
    """The company that makes the hardware."""
    integration: Integration
    """`in-tree` or `out-of-tree`."""
    dispatch_key: str
    """PyTorch's dispatch key."""
    device: str
    """The argument of `torch.device()`."""
    accelerator: str
    """Address of the platform's own file."""
    install: str
    """Address of the platform's data for the install selector."""


class Index(StrictModel):
    """The index of the data files. Addresses are relative to this file."""

    api_version: int
    """The API version. It increases with each incompatible change, as does the folder name."""
    newest_release: str
    """PyTorch's newest release."""
    releases: str
    """Address of PyTorch's releases and their wheels."""
    selector: str
    """Address of the data that the install selector loads first."""
    install: str
    """Address of the install selector's data for all platforms."""
    findings: str
    """Address of the verification results of install commands."""
    questions: str
    """Address of the index that finds the answer to an error message."""
    hardware: str
    """Address of the hardware data of all platforms."""
    versions: str
    """Address of the version data of all platforms."""
    upgrades: str
    """Address of what each PyTorch release removes and adds on each platform."""
    features: str
    """Address of the feature data of all platforms."""
    additional_platforms: str
    """Address of the platforms in the format of pytorch.org's Additional Platforms."""
    other_backends: str | None
    """Address of backends without a folder and of runtimes without a torch device. Absent if there
    are none."""
    stale_facts: str
    """Address of the ages of facts."""
    operations: str
    """Address of the metrics of the last nightly runs."""
    packages: str
    """Address of the package facts from package indexes."""
    results: str
    """Address of the index of test reports."""
    result_search: str
    """Address of all test results in one file, a letter for each."""
    models: str
    """Address of the results by model family."""
    history: str
    """Address of the index of results over time."""
    quality: str
    """Address of the quality data of all platforms."""
    accelerators: tuple[IndexEntry, ...]
    """The platforms, in-tree first and then by name."""
    schemas: dict[str, str]
    """Addresses of the JSON Schemas, by the name of the described data."""


class Question(StrictModel):
    """A question and its answer, in Markdown; `[@id]` cites a source."""

    question: str
    """The question."""
    answer: str
    """The answer."""


class AcceleratorFile(StrictModel):
    """A platform's description, install options, versions, guide and questions."""

    id: str
    """Id of the platform."""
    accelerator: Accelerator
    """The content of `accelerator.yaml`."""
    install: Install
    """The content of `install.yaml`."""
    compatibility: Compatibility
    """The content of `compatibility.yaml`."""
    guide: dict[str, str]
    """The content of `guide.md`: Markdown by section title."""
    faq: tuple[Question, ...]
    """The questions and answers of `faq.md`."""


class EndedData(StrictModel):
    """The last PyTorch release with wheels for a machine, and its install commands.

    A machine is an operating system with an architecture.
    """

    version: str
    """The last PyTorch release with wheels for the machine."""
    platforms: tuple[str, ...]
    """The platforms whose builds run on the machine."""
    method: str
    """The install method."""
    environment: str
    """The lines that create and activate an environment."""
    commands: str
    """The command that installs the release."""
    check: str
    """The command that checks the installation."""
    checks: dict[str, str]
    """The commands that replace `check`, by platform."""


class SelectorOverview(StrictModel):
    """The install selector's settings, defaults, drivers and cards, without install rows."""

    axes: dict[str, tuple[tuple[str, ...], ...]]
    """For each axis (a setting such as `os`), its values: id, label and perhaps a detail."""
    variants: dict[str, tuple[tuple[str, ...], ...]]
    """For each platform with variants, the variants in the same form as in `axes`."""
    order: tuple[str, ...]
    """All axes, in the order of the parameters in a page's address."""
    machine: tuple[str, ...]
    """The axes of the reader's machine. Choices on other axes don't change their values."""
    weights: tuple[str, ...]
    """The axes whose values are derived if the reader selects none, most important first."""
    ready: tuple[str, ...]
    """Methods that install prebuilt packages. Methods that build from source are selected only if
    none of these is available."""
    unpinned: tuple[str, ...]
    """Methods whose command names no version, so that it installs the newest."""
    inside: tuple[str, ...]
    """Methods whose commands end in a container's shell. The check runs in the container."""
    more: dict[str, tuple[str, ...]]
    """For each axis, the ids of the values that the page shows only on request."""
    offers: dict[str, dict[str, str]]
    """For each platform, its default build by machine, such as `linux x86_64`."""
    starts: tuple[dict[str, str], ...]
    """For each operating system, the default value of each axis except `build` and `variant`. The
    first entry is used if the system is unknown."""
    drivers: dict[str, DriverBounds]
    """The driver versions that variants need, by platform."""
    cards: dict[str, dict[str, tuple[str | bool | int, ...]]]
    """For each platform, its cards by id. A card is a list that begins with its name. If install
    rows run on the card, these values follow: a remark, whether it is uncertain that any of these
    rows runs, and the start and the exclusive end of each range of these rows."""
    environments: dict[str, dict[str, str]]
    """The lines that create and activate an environment, by method and operating system. `{python}`
    stands for the Python version."""
    ended: dict[str, EndedData] = Field(default_factory=dict)
    """The last release with wheels, for machines without wheels of newer releases. The key is the
    machine, such as `macos x86_64`."""
    containers: dict[str, str]
    """The id of the section about containers on each platform's page, if there is one."""


class SelectorData(SelectorOverview):
    """The data that the install selector loads first, without install rows.

    `parts` is the address of the install rows. Each card in `cards` has only its name.
    """

    parts: str
    """Address of a platform's install rows, relative to this file; `{platform}` stands for its
    id."""


class InstallData(SelectorOverview):
    """The install selector's data of a platform."""

    removed: dict[str, str] = Field(default_factory=dict)
    """What a release no longer supports, compared with the newest one of an earlier minor release:
    a sentence, by release."""
    rows: tuple[InstallRow, ...]
    """The commands for each valid selection."""


class InstallDataOfAll(StrictModel):
    """The install selector's data for all platforms."""

    platforms: dict[str, InstallData]
    """For each platform, the content of its own file."""


ADDITIONAL_PLATFORMS = "additional-platforms.json"
PLATFORM_INSTALL_PATH = "install/{platform}.json"
OTHER_BACKENDS = "other-backends.json"

SCHEMAS: dict[str, type[BaseModel]] = {
    "index": Index,
    "accelerator-file": AcceleratorFile,
    "selector-data": SelectorData,
    "install-data": InstallData,
    "install-data-of-all": InstallDataOfAll,
    "difference": Difference,
    "additional-platforms": AdditionalPlatforms,
}

_CONTAINER = re.compile("container|docker", re.IGNORECASE)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON files about platforms, install options and releases, and all JSON Schemas.

    Each platform has `accelerators/<id>.json` and `install/<id>.json`. The selector's files are
    also yielded for each further language; their paths start with its code. For each platform, they
    have the translated texts only.
    """
    catalog, selector = site.catalog, site.selector
    schemas = {name: model for found in declared("SCHEMAS") for name, model in found.items()}
    yield data_file("index.json", _index(catalog, (*SCHEMA_MODELS, *schemas)))
    install = {p.id: _install_data(catalog, selector, p) for p in catalog.platforms}
    selector_files = {"selector.json": _selector_overview(catalog, selector)} | {
        PLATFORM_INSTALL_PATH.format(platform=id_): rows for id_, rows in install.items()
    }
    for language in site.languages:
        for path, content in selector_files.items():
            translation = language.translate_data(content)
            if language != ENGLISH and path != "selector.json":
                translation = _texts_only(path, ENGLISH.translate_data(content), translation)
            file = data_file(path, translation)
            yield replace(file, path=language.path(file.path))
    yield data_file("install.json", {"platforms": ENGLISH.translate_data(install)})
    yield data_file("releases.json", catalog.releases)
    yield data_file(ADDITIONAL_PLATFORMS, additional_platforms(catalog))
    if catalog.other_backends:
        yield data_file(OTHER_BACKENDS, catalog.other_backends)
    for platform in catalog.platforms:
        yield data_file(f"accelerators/{platform.id}.json", _accelerator_file(platform))
    for name, model in SCHEMA_MODELS.items():
        yield SiteFile(f"{API}/{_schema_path(name)}", model_schema(model))
    for name, model in schemas.items():
        yield SiteFile(f"{API}/{_schema_path(name)}", model_schema(model, "serialization"))


def _texts_only(path: str, english: dict[str, Any], translation: dict[str, Any]) -> dict[str, Any]:
    """Return the translated texts of a file by the English text, and the address of the file.

    Most of the file is commands, which are the same in each language. If a text has several
    translations in it, the whole translated file is returned.
    """
    texts = dict(_text_pairs(english, translation))
    if _with_texts(english, texts) != translation:
        return translation
    changed = {text: translated for text, translated in texts.items() if text != translated}
    to_root = "../" * (f"{API}/{path}".count("/") + 1)
    return {"translates": f"{to_root}{API}/{path}", "texts": changed}


def _text_pairs(first: Any, second: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON
    """Yield each text in `first` with the text at its place in `second`."""
    if isinstance(first, dict):
        for name, value in first.items():
            yield from _text_pairs(value, second[name])
    elif isinstance(first, list):
        for one, other in zip(first, second, strict=True):
            yield from _text_pairs(one, other)
    elif isinstance(first, str):
        yield first, second


def _with_texts(data: Any, texts: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON
    """Return a copy of data with each text in `texts` replaced."""
    if isinstance(data, dict):
        return {name: _with_texts(value, texts) for name, value in data.items()}
    if isinstance(data, list):
        return [_with_texts(value, texts) for value in data]
    return texts.get(data, data) if isinstance(data, str) else data


def _install_data(catalog: Catalog, selector: Selector, platform: Platform) -> dict[str, Any]:
    """Return the content of a platform's `install/<id>.json`: its install rows and their texts.

    An install row has the commands for one valid selection in the install selector. The content
    includes the platform's hardware cards. Each card states which install rows run on the card, as
    ranges of row indexes.
    """
    platform_selector = selector.only(platform.id)
    data = payload(platform_selector, {platform.id: _cards(catalog, platform_selector, platform)})
    texts = {"removed": removed_words(catalog, platform.id)}
    return {"containers": _container_sections([platform]), **texts, **data}


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


def _index(catalog: Catalog, schemas: Iterable[str]) -> Index:
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
        upgrades="upgrades.json",
        features="features.json",
        additional_platforms=ADDITIONAL_PLATFORMS,
        other_backends=OTHER_BACKENDS if catalog.other_backends else None,
        stale_facts="stale-facts.json",
        operations="operations.json",
        packages="packages.json",
        results="results/index.json",
        result_search="result-search.json",
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
        schemas={name: _schema_path(name) for name in schemas},
    )


def _accelerator_file(platform: Platform) -> AcceleratorFile:
    return AcceleratorFile.from_objects(
        platform,
        guide={section.title: section.text for section in platform.guide.sections},
        faq=tuple(Question(question=s.title, answer=s.text) for s in platform.faq.sections),
    )


def additional_platforms(catalog: Catalog) -> AdditionalPlatforms:
    """Return the platforms that pytorch.org's own selector lacks, with their commands.

    `generated_at` in the result is the newest day on which somebody read a source of any platform.
    The time of the build is not used, so an unchanged catalog gives an unchanged file.
    """
    listed = [(p, entry) for p in catalog.platforms if (entry := additional_platform(catalog, p))]
    days = [
        s.read for p in catalog.platforms for _, file in p.sourced_files() for s in file.values()
    ]
    return AdditionalPlatforms(
        schema_version=1,
        generated_at=f"{max(days)}T00:00:00+00:00" if days else None,
        platforms={additional_platform_id(platform): entry for platform, entry in listed},
        html={additional_platform_id(platform): _guide_html(platform) for platform, _ in listed},
    )


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
