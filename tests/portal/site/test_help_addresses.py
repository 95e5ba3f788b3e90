"""Where messages lead: to the description of what they are about, on the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.cli.check import (
    LOCAL_SITE_ADDRESS,
    SITE_URL_VARIABLE,
    as_text,
    site_address,
)
from accelerator_reports.files.problem import Problem
from tests.built_site import Site
from tests.folders import ACCELERATOR, FAQ, INSTALL, RELEASES, REPOSITORY, Tree, edited


def test_the_site_stands_where_its_repository_or_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SITE_URL_VARIABLE, raising=False)
    assert site_address(tmp_path) == LOCAL_SITE_ADDRESS
    (tmp_path / "a").mkdir()
    (tmp_path / "a/mkdocs.yml").write_text("repo_url: https://github.com/a-b/c.d\n", "utf-8")
    assert site_address(tmp_path / "a") == "https://a-b.github.io/c.d/"
    monkeypatch.setenv(SITE_URL_VARIABLE, "https://example.org/x")
    assert site_address(tmp_path / "a") == "https://example.org/x/"


EDITS = {
    "device": (ACCELERATOR, "device: {", "device: {x: 1, "),
    "the file": (ACCELERATOR, "vendor:", "vendr:"),
    "option": (INSTALL, "    methods: [docker]", "    methods: docker"),
    "wheel": (RELEASES, "on: pypi}", "on: pypa}"),
    "source": (FAQ, "    title: Example data, made up for the tests\n", ""),
}


@pytest.mark.parametrize("name", EDITS)
def test_each_message_leads_to_the_description_of_its_record(
    name: str, tree: Tree, site: Site
) -> None:
    root = tree(edited(EDITS[name]))
    _, problems = load_catalog(root)
    assert problems
    for told in as_text(root, problems).splitlines():
        if told.startswith("  see "):
            page, _, anchor = told.removeprefix(f"  see {LOCAL_SITE_ADDRESS}").partition("#")
            assert anchor in site.pages[page].ids, told


def test_a_rules_message_leads_to_the_rule(site: Site) -> None:
    problem = Problem("x.yaml", 1, "x", "y", rule="row-order")
    (*_, told) = as_text(REPOSITORY, [problem]).splitlines()
    assert told.endswith("/contribute/rules/#row-order")
    assert "row-order" in site.pages["contribute/rules/"].ids
