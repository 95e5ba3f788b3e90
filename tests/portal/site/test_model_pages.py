"""The page of models says what the newest reports say, and leads to where each result stands."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import pytest

from accelerator_reports.files.wording import count as counted
from accelerator_reports.outcomes import BAD, GOOD
from tests.built_site import Page, Site, attribute, grid_cells, ids_of_tests, marks

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


def test_a_mark_is_of_the_strongest_evidence_of_its_purpose(
    site: Site, index: dict[str, Any]
) -> None:
    """Computed anew from the files of the families: a run, else a baseline, else a document."""
    cells = grid_cells(table(site))
    expected: dict[tuple[str, str], list[str]] = {}
    for family in index["families"]:
        data = json.loads((site.root / "api/v1" / family["address"]).read_text("utf-8"))
        tests = [t for t in data["tests"] if not t["suite"].startswith("executorch")]
        for purpose, kind in (("inference", ""), ("training", "train")):
            for platform in site.catalog.platforms:
                found = [
                    (basis, Counter(test["outcome"] for test in tests
                     if test["accelerator"] == platform.id and test["basis"] == results
                     and test["settings"].startswith("training") == (kind == "train")))
                    for basis, results in (("run", "runs"), ("expected", "baselines"))
                ]  # fmt: skip
                ran = [(b, c) for b, c in found if c.keys() - {"skipped", "test-broken", "not-run"}]
                stated = any(
                    purpose in words or (purpose == "inference" and words == "not stated")
                    for one in family["stated"]
                    if one["accelerator"] == platform.id
                    for words in one["purposes"]
                )
                mark = None
                if ran:
                    mark = (ran[0][0], state_of(ran[0][1]))
                elif any(c for _, c in found) and not stated:
                    mark = (next(b for b, c in found if c), "skip")
                elif stated:
                    mark = ("stated", "pass")
                if mark:
                    words = " ".join(filter(None, (*mark, kind)))
                    expected.setdefault((family["id"], platform.id), []).append(words)
    shown = {
        place: [mark.replace(" reduced", "") for mark in marks(cell)]
        for place, cell in cells.items()
        if not place[1].endswith("--executorch")
    }
    assert shown == expected
    assert {mark for found in shown.values() for mark in found} > {
        "run pass", "run pass train", "expected part train", "expected fail train", "stated pass"
    }  # fmt: skip


def state_of(outcomes: Counter[str]) -> str:
    passed, ran = outcomes["passed"], outcomes["executed"]
    checked = sum(n for name, n in outcomes.items() if name in {*BAD, *GOOD})
    if not checked:
        return "ran" if ran else "skip"
    if passed == checked:
        return "pass"
    return "part" if passed or ran else "fail"


def test_small_versions_of_models_have_a_mark_of_their_own(site: Site) -> None:
    cells = grid_cells(table(site))
    assert marks(cells["llama", "cuda"]) == ["run pass reduced", "run pass train reduced"]
    assert marks(cells["llama", "ascend"]) == ["run pass"]


def test_executorch_is_counted_apart_and_after_pytorch(site: Site, index: dict[str, Any]) -> None:
    (llama,) = (family for family in index["families"] if family["id"] == "llama")
    assert [c["executorch"] for c in llama["counts"] if c["accelerator"] == "cpu"] == [False, True]
    page = site.pages[f"{MODELS}llama/"]
    heads = [head.text(strip=True).rstrip("¶") for head in page.tree.css("article h2")]
    apart = [head for head in heads if "ExecuTorch" in head]
    assert apart
    assert heads[heads.index(apart[0]) :][: len(apart)] == apart
    cell = grid_cells(table(site))["llama", "cpu--executorch"]
    assert attribute(cell.css("a")[0], "href").endswith("llama/#cpu--executorch")


def test_a_cell_leads_to_its_results_and_each_of_them_to_its_evidence(
    site: Site, index: dict[str, Any]
) -> None:
    cells = grid_cells(table(site)).values()
    targets = {attribute(cell.css("a")[0], "href") for cell in cells}
    for target in targets:
        address, _, anchor = target.removeprefix("../../").partition("#")
        assert anchor in site.pages[address].ids
    for family in index["families"]:
        data = json.loads((site.root / "api/v1" / family["address"]).read_text("utf-8"))
        assert len(data["tests"]) == sum(count["total"] for count in family["counts"])
        for test in data["tests"]:
            found = urlsplit(test["evidence"])
            assert found.fragment in ids_of_tests(site, found.path)


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
                and r.css("td")[1].text(strip=True) == purpose
            )
            assert f"stated by {one['by']}, " in row.text()
            assert one["date"] in row.text()
        assert sorted(chain(*one["purposes"].values())) == sorted(one["models"])
        assert f"{one['accelerator']}--stated" in page.ids


def test_results_say_what_stands_in_for_a_published_model(site: Site) -> None:
    words = "small-transformers: two layers, random weights"
    rows = [r for r in site.pages[f"{MODELS}qwen/"].tree.css("tbody tr") if words in r.text()]
    assert [row.css("th")[0].text(strip=True) for row in rows] == ["CPU", "CUDA"]
    assert "reduced" in marks(grid_cells(table(site))["qwen", "cuda"])[0].split()


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
