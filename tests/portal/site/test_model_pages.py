"""The page of models says what the newest reports say, and leads to where each result stands."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import pytest

from accelerator_reports.files.wording import count as counted
from tests.built_site import Page, Site, attribute

MODELS = "results/by-model/"


@pytest.fixture(scope="module")
def index(site: Site) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((site.root / "api/v1/models.json").read_text("utf-8"))
    return data


def platforms_with_model(index: dict[str, Any]) -> set[str]:
    """The platforms with a test or a statement."""
    found = [one for family in index["families"] for one in family["counts"] + family["stated"]]
    return {one["accelerator"] for one in found}


def table(site: Site) -> Page:
    return site.pages[MODELS]


def test_a_cell_has_the_best_evidence_and_says_which(site: Site, index: dict[str, Any]) -> None:
    platforms = [
        attribute(head, "data-platform")
        for head in table(site).tree.css(".families thead [data-platform]")
    ]
    with_model = platforms_with_model(index)
    assert platforms == [p.id for p in site.catalog.platforms if p.id in with_model]
    rows = table(site).tree.css(".family-row")
    assert len(rows) == len(index["families"])
    for family, row in zip(index["families"], rows, strict=True):
        best: dict[str, dict[str, Any]] = {}
        for count in family["counts"]:
            best.setdefault(count["accelerator"], count)
        for cell in row.css("td"):
            platform = attribute(cell, "data-platform")
            count = best.get(platform)
            stated = [one for one in family["stated"] if one["accelerator"] == platform]
            if count is None and stated:
                assert attribute(cell, "data-basis") == "stated"
                models = sum(len(one["models"]) for one in stated)
                assert cell.text().startswith(f"“…” {models} model")
                assert f"stated by {stated[0]['by']}, " in cell.text()
                assert stated[0]["date"] in cell.text()
                assert not cell.css(".outcome")
                continue
            if count is None:
                assert cell.text(strip=True) == "no result"
                continue
            assert attribute(cell, "data-basis") == count["basis"]
            run = count["basis"] == "runs"
            verb = "passed" if run else "tests expected to pass"
            if count["checked"]:
                assert f"{count['passed']} of {count['checked']} {verb}" in cell.text()
            assert ("expected, not run" in cell.text()) is not run
            assert ("stated, too" in cell.text()) is bool(stated)
            assert (count.get("date") or "") in cell.text()


def test_executorch_is_counted_apart_and_after_pytorch(site: Site, index: dict[str, Any]) -> None:
    (llama,) = (family for family in index["families"] if family["id"] == "llama")
    assert [c["executorch"] for c in llama["counts"] if c["accelerator"] == "cpu"] == [False, True]
    page = site.pages[f"{MODELS}llama/"]
    heads = [head.text(strip=True).rstrip("¶") for head in page.tree.css("article h2")]
    apart = [head for head in heads if "ExecuTorch" in head]
    assert apart
    assert heads[heads.index(apart[0]) :][: len(apart)] == apart
    (cell,) = table(site).tree.css('.family-row a[href$="llama/#cpu--executorch"]')
    assert cell.text(strip=True).lstrip("✓✕≠~").startswith("ExecuTorch:")


def test_a_cell_leads_to_its_results_and_each_of_them_to_its_evidence(
    site: Site, index: dict[str, Any]
) -> None:
    targets = {attribute(a, "href") for a in table(site).tree.css(".family-result")}
    for target in targets:
        address, _, anchor = target.removeprefix("../../").partition("#")
        assert anchor in site.pages[address].ids
    for family in index["families"]:
        data = json.loads((site.root / "api/v1" / family["address"]).read_text("utf-8"))
        assert len(data["tests"]) == sum(count["total"] for count in family["counts"])
        for test in data["tests"]:
            found = urlsplit(test["evidence"])
            assert found.fragment in site.pages[f"results/{found.path}"].ids


def test_what_has_no_report_is_named_with_a_way_on(site: Site, index: dict[str, Any]) -> None:
    text = table(site).one("article").text()
    missing = f"No report or document has these families: {', '.join(index['no_report'])}."
    assert (missing in text) is bool(index["no_report"])
    with_model = platforms_with_model(index)
    links = {attribute(a, "href") for a in table(site).tree.css("article p a")}
    for platform in site.catalog.platforms:
        if platform.id not in with_model:
            assert f"../../compute-platforms/{platform.id}/" in links


def test_a_family_lists_the_tests_that_suites_have(site: Site) -> None:
    page = site.pages[f"{MODELS}llama/"]
    names = {term.text(strip=True) for term in page.tree.css(".facts dt")}
    listed = page.one("dl.facts").text()
    assert {"torchbench", "small-transformers", "huggingface"} <= names
    assert "llama_v2_7b" in listed
    assert "meta-llama/Llama-3.2-1B" in listed


def test_statements_are_apart_from_results_and_lead_to_the_document(
    site: Site, index: dict[str, Any]
) -> None:
    stated = [(family["id"], one) for family in index["families"] for one in family["stated"]]
    assert len({one["accelerator"] for _, one in stated}) > 5
    for family, one in stated:
        page = site.pages[f"{MODELS}{family}/"]
        rows = [row for row in page.tree.css(".stated tbody tr") if one["by"] in row.text()]
        for purpose, models in one["purposes"].items():
            (row,) = (
                r
                for r in rows
                if all(f"{name}" in r.text() for name in models)
                and one["source"] in [attribute(a, "href") for a in r.css("a")]
                and r.css("td")[2].text(strip=True) == purpose
            )
            assert f"stated by {one['by']}, " in row.text()
            assert one["date"] in row.text()
        assert sorted(chain(*one["purposes"].values())) == sorted(one["models"])
        assert f"{one['accelerator']}--stated" in page.ids


def test_results_say_what_stands_in_for_a_published_model(site: Site) -> None:
    words = "small-transformers: two layers, random weights"
    rows = [r for r in site.pages[f"{MODELS}qwen/"].tree.css("tbody tr") if words in r.text()]
    assert [row.css("th")[0].text(strip=True) for row in rows] == ["CPU", "CUDA"]
    (cell,) = table(site).tree.css('.family-row td:has(a[href$="qwen/#cpu"])')
    assert "two layers, random weights" in cell.text()


def test_a_platforms_statements_have_a_page_with_all_counts(site: Site) -> None:
    for platform in site.catalog.platforms:
        address = f"results/stated/{platform.id}/"
        assert (address in site.pages) is bool(platform.stated_models)
        for listed in platform.stated_models.lists if platform.stated_models else ():
            text = " ".join(site.pages[address].one("article").text().split())
            assert f"read {listed.rows:,} rows of the document at this commit" in text
            assert f"The table below contains {listed.taken:,} of them" in text
            for why, number in listed.left_out.items():
                assert f"It leaves out {counted(number, 'row')}: {why}." in text
            link = f'a[href$="{address}"]'
            assert site.pages[f"compute-platforms/{platform.id}/"].tree.css_first(link)
