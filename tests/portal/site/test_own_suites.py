"""Vendors' own suites on a built site: with title and link, counted apart, compared when shared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from accelerator_reports.report_file import report_text
from tests.built_site import EXAMPLE, Site, attribute, build_site, copy_sources, grid_cells
from tests.made_once import made_once
from tests.reports.examples import report

SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Known to all
kind: unit
description: Made up.
url: https://example.org
source: [a]
tests: [alpha]
"""
OWN = """\
suites:
  - {name: acme/kernels, title: Acme kernels, url: "https://example.org/kernels",
     description: Tests of kernels.}
  - {name: acme/silent, title: Not run yet, url: "https://example.org/silent"}
  - {name: acme/shared, title: Shared tests, url: "https://example.org/shared"}
"""
RENAMED = {"Acme": "Beta", "torch-acme": "torch-beta", "torch_acme": "torch_beta", "AC": "BE"}
SYSTEM = {"torch": "1.10.0", "os": "Example OS 1", "arch": "x86_64", "hardware": "Acme One"}


def made(accelerator: str, suites: Mapping[str, int], **changes: Any) -> str:  # noqa: ANN401
    """A report in which each suite has so many failures, and one test that passed."""
    tests = [
        {"suite": suite, "name": "alpha" if n == failures else f"bad {n}",
         "outcome": "passed" if n == failures else "failed"}
        for suite, failures in suites.items()
        for n in range(failures + 1)
    ]  # fmt: skip
    declared = [{"name": suite, "kind": "unit"} for suite in suites]
    fields = {"environment": SYSTEM, "suites": declared, **changes}
    return report_text(report(*tests, accelerator=accelerator, **fields))


def sources(root: Path) -> None:
    copy_sources(root, EXAMPLE)
    (root / "data/suites").mkdir()
    (root / "data/suites/known.yaml").write_text(SUITE, "utf-8")
    (root / "data/feature-tests.yaml").unlink()  # none of its tests is in that suite
    acme, beta = root / "accelerators/acme", root / "accelerators/beta"
    for old in (acme / "results").iterdir():
        old.unlink()
    beta.joinpath("results").mkdir(parents=True)
    for file in acme.glob("*.*"):
        text = file.read_text("utf-8")
        if file.name == "accelerator.yaml":
            for word, other in RENAMED.items():
                text = text.replace(word, other)
        (beta / file.name).write_text(text, "utf-8")
    yaml = acme / "accelerator.yaml"
    yaml.write_text(f"{yaml.read_text('utf-8')}\n{OWN}", "utf-8")
    run = made("acme", {"known": 0, "acme/kernels": 2, "acme/shared": 0, "pytest": 1})
    (acme / "results/run.json").write_text(run, "utf-8")
    baseline = made(
        "acme", {"known": 0}, kind="baseline", started="2026-01-01T00:00:00Z",
        environment={"os": "Never run"},
        origins=[{"repository": "a/b", "commit": "0123456", "path": "c"}],
    )  # fmt: skip
    (acme / "results/expected.json").write_text(baseline, "utf-8")
    run = made("beta", {"known": 0, "acme/shared": 0, "pytest": 0})
    (beta / "results/run.json").write_text(run, "utf-8")


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    root = made_once(tmp_path_factory, "own-suites", sources)
    return build_site(root, tmp_path_factory.mktemp("own-suites-site"))


def texts(site: Site, page: str, selector: str) -> list[str]:
    return [" ".join(node.text().split()) for node in site.pages[page].tree.css(selector)]


def test_the_platforms_page_has_title_link_and_counts_of_each(own_site: Site) -> None:
    page = own_site.pages["compute-platforms/acme/"]
    rows = texts(own_site, "compute-platforms/acme/", ".own-suites li")
    assert rows[0].startswith("Acme kernels 1/3")
    assert rows[0].endswith("Tests of kernels.")
    assert rows[1] == "Not run yet no report yet"
    assert rows[2].startswith("Shared tests all 1")
    assert rows[3].startswith("acme/pytest 1/2")
    links = [attribute(a, "href") for a in page.tree.css(".own-suites a")]
    assert "https://example.org/kernels" in links
    assert any(link.endswith("results/acme--kernels/") for link in links)
    assert not texts(own_site, "compute-platforms/acme/", ".suite-cells li")[0].startswith("Acme")


def test_the_suites_page_says_whose_it_is(own_site: Site) -> None:
    page = own_site.pages["results/acme--kernels/"]
    assert page.one("h1").text().startswith("Acme kernels")
    assert "https://example.org/kernels" in [attribute(a, "href") for a in page.tree.css("a[href]")]
    assert "Vendor suite of Acme" in " ".join(page.tree.text().split())
    assert "results/acme--kernels/tests/" in own_site.pages
    assert (own_site.root / "api/v1/results/acme--kernels.json").is_file()


def test_only_what_two_platforms_share_is_compared(own_site: Site) -> None:
    platforms = {
        suite: len(own_site.pages[f"results/{suite}/"].tree.css(".matrix .matrix-report"))
        for suite in ("known", "acme--shared", "acme--pytest", "beta--pytest", "acme--kernels")
    }
    assert platforms == {
        "known": 3,  # a run of each, and a baseline
        "acme--shared": 2,
        "acme--pytest": 1,
        "beta--pytest": 1,
        "acme--kernels": 1,
    }
    assert "results/pytest/" not in own_site.pages


def test_the_grid_counts_them_apart(own_site: Site) -> None:
    heads = texts(own_site, "results/", ".grid-table thead th")
    assert heads == ["Unit tests", "Vendors", "Platform", "Known to all", "Shared tests",
                     "All together"]  # fmt: skip
    cells = {
        row: cell
        for (row, column), cell in grid_cells(own_site.pages["results/"]).items()
        if column == "own"
    }
    assert {row: cell.text(strip=True) for row, cell in cells.items()} == {
        "acme": "2/5", "beta": "✓1"
    }  # fmt: skip
    links = {row: attribute(cell.css("a")[0], "href") for row, cell in cells.items()}
    assert links == {row: f"../compute-platforms/{row}/#own-suites" for row in cells}


def test_the_overview_lists_them_apart(own_site: Site) -> None:
    page = own_site.pages["results/"]
    assert {"suites", "own-suites"} <= set(page.ids)
    text = " ".join(page.tree.text().split())
    apart = text.partition("Only the vendor runs these suites")[2].partition("Reports")[0]
    assert "Acme kernels" in apart
    assert "Shared tests" not in apart


def test_tested_systems_and_devices_come_from_runs(own_site: Site) -> None:
    page = own_site.pages["compute-platforms/acme/"]
    names = [
        " ".join(dt.text().split()) for dt in page.tree.css(".platform-side .facts > div > dt")
    ]
    values = [
        " ".join(dd.text().split()) for dd in page.tree.css(".platform-side .facts > div > dd")
    ]
    facts = dict(zip(names, values, strict=True))
    assert facts["Tested systems"] == "Example OS 1 (x86_64), 2026-01-02"
    assert facts["Tested devices"] == "Acme One, 2026-01-02"
