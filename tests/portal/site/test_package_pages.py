"""Pages, feed and data say what the kept facts of packages say, with their date."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from selectolax.lexbor import LexborNode

from accelerator_portal.catalog.files.package_file import IndexFault, PackagesRead
from accelerator_portal.site import Edition, RepositoryLinks, build_site
from accelerator_portal.site.pages.dashboard import MOST_NEWS
from tests.built_site import Page, Site
from tests.day import TODAY
from tests.folders import INSTALL, REPOSITORY, Tree, edited, loaded
from tests.portal.packages.made_up import PACKAGE, READ, release, with_facts

HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) {{ 7 * 7 }} **b**"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def data(site: Site) -> Any:  # noqa: ANN401 - any JSON
    return json.loads((site.root / "api/v1/packages.json").read_text("utf-8"))


def words(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


def on_index(page: Page) -> str:
    """The words from the heading on, up to the sources."""
    text = words(page.one("article"))
    return text[text.index("Versions on the package index") : text.rindex("Sources")]


def test_the_table_of_the_index_has_every_fit(site: Site, data: Any) -> None:  # noqa: ANN401
    for platform, found in data["platforms"].items():
        page = site.pages[f"compute-platforms/{platform}/"]
        tables = page.tree.css('[aria-label="Versions on the package index"] tbody tr')
        shown = [[words(cell) for cell in row.css("td")] for row in tables]
        pairs = {(row[0], row[1]) for row in shown}
        assert pairs == {(fit["torch"], fit["plugin"]) for fit in found["fits"]}, platform
        for fit in found["fits"]:
            cells = [row[3] for row in shown if row[0] == fit["torch"]]
            assert any(fit["requires"] in cell and fit["arch"] in cell for cell in cells)


def test_known_cases_are_told_as_they_are(site: Site) -> None:
    ascend = on_index(site.pages["compute-platforms/ascend/"])
    assert re.search(r"PyPI, read on \d{4}-\d\d-\d\d: torch-npu", ascend)
    assert "torch==2.10.0+cpu Linux x86_64 torch==2.10.0 Linux aarch64" in ascend
    neuron = on_index(site.pages["compute-platforms/neuron/"])
    assert "PyPI has a different package with the same name, version 1.0" in neuron
    assert "WRONG PACKAGE" in neuron
    assert "doesn’t require a torch version" in on_index(site.pages["compute-platforms/tpu-xla/"])
    assert "had no package habana-torch-plugin" in on_index(site.pages["compute-platforms/gaudi/"])
    assert "on-the-index" not in site.pages["compute-platforms/cuda/"].ids


def test_what_could_not_be_read_is_said(site: Site) -> None:
    for fault in site.catalog.packages_read.faults:
        if fault.package == "torch-neuronx":
            page = on_index(site.pages["compute-platforms/neuron/"])
            assert f"Since {fault.since}, this project could not read {fault.package} on" in page


def test_the_page_of_all_has_every_lag(site: Site, data: Any) -> None:  # noqa: ANN401
    page = site.pages["versions/followed/"]
    head = [words(cell) for cell in page.tree.css("thead th")][2:]
    names = {p.accelerator.name: p.id for p in site.catalog.platforms}
    assert [names[name] for name in head] == [
        p.id for p in site.catalog.platforms if data["platforms"].get(p.id, {}).get("lags")
    ]
    lags = {(p, lag["torch"]): lag for p, f in data["platforms"].items() for lag in f["lags"]}
    shown = 0
    for row in page.tree.css("tbody tr"):
        torch, _, *cells = [words(cell) for cell in row.css("th, td")]
        for name, cell in zip(head, cells, strict=True):
            lag = lags.get((names[name], torch))
            shown += lag is not None
            assert (cell == "–") == (lag is None)
            assert lag is None or str(lag["days"]) in cell
            assert lag is None or ("plugin" in lag) != ("none after" in cell)
    assert shown == len(lags) > 0


def test_the_dashboard_has_the_newest_news_and_the_feed_all(site: Site, data: Any) -> None:  # noqa: ANN401
    listed = site.pages["results/dashboard/"].one("#packages + ul")
    shown = [words(item) for item in listed.css("li")]
    assert len(shown) == min(MOST_NEWS, len(data["news"]))
    for item, text in zip(data["news"], shown, strict=False):
        assert text.startswith(item["date"])
        assert text.endswith(item["words"])
    root = ET.fromstring((site.root / "results/feed.atom").read_text("utf-8"))  # noqa: S314 - our own
    found = [*root.iter(f"{ATOM}entry")]
    entries = {e.findtext(f"{ATOM}id"): e.findtext(f"{ATOM}title") for e in found}
    of_packages = [title for name, title in entries.items() if name and ":package:" in name]
    assert of_packages
    told = [item["words"] for item in data["news"]]
    assert all(any(title and title.endswith(w) for w in told) for title in of_packages)
    assert len(entries) == len(found)


def test_what_an_index_says_cannot_do_anything_on_a_page(tree: Tree) -> None:
    own = "https://example.org/simple"
    old = 'packages: ["torch=={torch}"], index: "{index}"'
    new = f'packages: ["{PACKAGE}==1.0"], extra_index: "{own}"'
    catalog = with_facts(loaded(tree(edited((INSTALL, old, new)))), [release("1.0", "")])
    facts = catalog.packages[PACKAGE]
    bad = facts.indexes[0].model_copy(update={"about": HOSTILE})
    told = IndexFault(package=PACKAGE, index=own, since=READ, what=HOSTILE)
    catalog = replace(
        catalog,
        packages={PACKAGE: facts.model_copy(update={"indexes": (bad,)})},
        packages_read=PackagesRead(read=READ, faults=(told,)),
    )
    repository = RepositoryLinks("https://example.org", "https://example.org")
    pages = {f.path: f.content for f in build_site(catalog, REPOSITORY, Edition(repository, TODAY))}
    page = pages["compute-platforms/example.md"]
    assert "PyPI has a different package with the same name, version 1.0" in page
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)") == 2
