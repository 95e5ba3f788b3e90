"""The data files for machines, against the schemas published beside them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from accelerator_portal.catalog.schema import SCHEMA_MODELS
from accelerator_portal.install.resolution import payload, payload_overview
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.languages import ENGLISH
from accelerator_portal.site.pages.api import PLATFORM_INSTALL_PATH
from accelerator_portal.site.pages.upgrades import removed_words
from accelerator_reports.suite_names import suite_folder
from tests.built_site import Site
from tests.schema_faults import schema_faults

API = "api/v1"


def read(site: Site, path: str) -> Any:  # noqa: ANN401 - any JSON
    return json.loads((site.root / API / path).read_text("utf-8"))


def tables(site: Site) -> set[str]:
    """The suites, with their modes where they have some, of which there are results."""
    tests = (test for stored in stored_reports(site.catalog)[0] for test in stored.report.tests)
    pairs = {(test.suite, str(test.parameters.get("mode", ""))) for test in tests}
    return {f"{suite_folder(suite)}/{mode}".removesuffix("/") for suite, mode in pairs}


def _file_of(entry: list[Any]) -> str:
    """The address of a file of records, whichever its place in the entry."""
    return next(str(part) for part in entry if str(part).endswith(".json"))


def test_the_index_names_every_file_and_nothing_else(site: Site) -> None:
    index = read(site, "index.json")
    own = {"api_version", "newest_release", "accelerators", "schemas"}
    named = {"index.json", *(index[name] for name in set(index) - own), *index["schemas"].values()}
    for platform in index["accelerators"]:
        named |= {platform["accelerator"], platform["install"]}
    results = read(site, index["results"])
    named |= {f"results/{name}" for name in results["suites"].values()}
    named |= {f"results/{table}.csv" for table in tables(site)}
    named |= {entry["report"].removeprefix("../") for entry in results["reports"]}
    named |= set(read(site, index["packages"])["packages"].values())
    named |= {f"history/{name}" for name in read(site, index["history"])["histories"].values()}
    rows = [entry["rows"] for entry in results["reports"] if "rows" in entry]
    assert rows
    for address in (
        *read(site, index["history"])["tests"].values(),
        *results["tests"].values(),
        *rows,
    ):
        own = address.removeprefix("../")
        files = read(site, own)["files"]
        named |= {
            own,
            *(f"{own.removesuffix('index.json')}{name}" for name in map(_file_of, files)),
        }
    named |= {platform["badge"] for platform in read(site, index["quality"])["platforms"]}
    named |= {family["address"] for family in read(site, index["models"])["families"]}
    api = site.root / API
    assert named == {f.relative_to(api).as_posix() for f in api.rglob("*") if f.is_file()}


def test_the_index_names_the_platforms_as_the_catalogue_does(site: Site) -> None:
    listed = [(p["id"], p["name"], p["vendor"]) for p in read(site, "index.json")["accelerators"]]
    known = site.catalog.platforms
    assert listed == [(p.id, p.accelerator.name, p.accelerator.vendor) for p in known]
    ascend = next(p for p in read(site, "index.json")["accelerators"] if p["id"] == "ascend")
    own = {name: ascend[name] for name in ("integration", "dispatch_key", "device")}
    assert own == {"integration": "out-of-tree", "dispatch_key": "PrivateUse1", "device": "npu"}
    assert read(site, "index.json")["newest_release"] == site.catalog.releases.newest.version


# Which files each schema is for.
DESCRIBED = {
    "index": "index.json",
    "releases": "releases.json",
    "hardware": "hardware.json",
    "versions": "versions.json",
    "upgrades": "upgrades.json",
    "features": "features.json",
    "other-backends": "other-backends.json",
    "stale-facts": "stale-facts.json",
    "operations": "operations.json",
    "additional-platforms": "additional-platforms.json",
    "accelerator-file": "accelerators/*.json",
    "selector-data": "selector.json",
    "install-data": "install/*.json",
    "install-data-of-all": "install.json",
    "results": "results/index.json",
    "suite-results": "results/*[!x].json",  # all but index.json
    "report": "reports/*.json",
    "model-results": "models.json",
    "family-results": "models/*.json",
    "quality": "quality.json",
    "packages": "packages.json",
    "package": "packages/*.json",
    "findings": "findings.json",
    "result-search": "result-search.json",
    "question-index": "questions.json",
    "histories": "history/index.json",
    "history": "history/[!i]*.json",
    "test-histories": "test-histories/*/index.json",
    "test-history": "test-histories/*/[!i]*.json",
    "suite-tests": "suite-tests/*/index.json",
    "tests-of-suite": "suite-tests/*/[!i]*.json",
    "report-rows": "report-rows/*/index.json",
    "rows-of-report": "report-rows/*/[!i]*.json",
    "badge": "badges/*.json",
}


def test_every_file_has_a_schema(site: Site) -> None:
    folder = site.root / API
    described = {file for glob in DESCRIBED.values() for file in folder.glob(glob)}
    tables = {*folder.rglob("results/**/*.csv")}
    every = {file for file in folder.rglob("*") if file.is_file()}
    assert described | {*folder.glob("schema/*")} | tables == every


@pytest.mark.parametrize("name", DESCRIBED)
def test_files_match_the_schemas_published_beside_them(site: Site, name: str) -> None:
    files = sorted((site.root / API).glob(DESCRIBED[name]))
    assert files
    schema = site.root / API / f"schema/{name}.schema.json"
    assert schema_faults(schema, files) == ""


def test_a_platforms_file_says_what_its_folder_says(site: Site) -> None:
    for platform in site.catalog.platforms:
        data = read(site, f"accelerators/{platform.id}.json")
        assert (
            SCHEMA_MODELS["accelerator"].model_validate(data["accelerator"]) == platform.accelerator
        )
        assert list(data["guide"]) == [section.title for section in platform.guide.sections]
        assert [q["question"] for q in data["faq"]] == [s.title for s in platform.faq.sections]


def test_the_selectors_data_is_that_of_the_library(site: Site) -> None:
    whole = read(site, "install.json")["platforms"]
    assert list(whole) == [platform.id for platform in site.catalog.platforms]
    for platform, found in whole.items():
        assert found == read(site, f"install/{platform}.json")
        selector = site.selector.only(platform)
        removed = removed_words(site.catalog, platform)
        own = {"containers": found["containers"], "removed": removed, **payload(selector)}
        assert {**found, "cards": {}} == json.loads(ENGLISH.json(own))
        for cards in found["cards"].values():
            assert all(
                0 <= place <= len(selector.rows) for card in cards.values() for place in card[3:]
            )


def test_before_a_choice_the_selector_reads_what_is_true_of_all_platforms(site: Site) -> None:
    data = read(site, "selector.json")
    expected = {
        "parts": PLATFORM_INSTALL_PATH,
        "containers": data["containers"],
        **payload_overview(site.selector),
    }
    assert data["containers"].items() >= {"cuda": "deploy", "qaic": "install"}.items()
    assert {**data, "cards": {}} == json.loads(ENGLISH.json(expected))
    for platform in site.catalog.by_id:
        own = read(site, PLATFORM_INSTALL_PATH.replace("{platform}", platform))
        assert data["cards"][platform] == {
            card: [name] for card, (name, *_) in own["cards"][platform].items()
        }


def test_a_platforms_selector_data_stays_small(site: Site) -> None:
    """A page loads one file. CUDA's has 25 bytes for each row after compression, the CPU's 31."""
    for platform in site.catalog.by_id:
        data = (site.root / API / f"install/{platform}.json").read_bytes()
        rows = len(site.selector.rows_of(platform))
        assert len(gzip.compress(data)) < 3_000 + 30 * rows, platform
