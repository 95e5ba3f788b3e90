from __future__ import annotations

import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.built_site import REPOSITORY, Site, attribute

FORMS = REPOSITORY / ".github/ISSUE_TEMPLATE"


def test_each_operator_that_must_pass_stands_in_its_group_with_its_sources(site: Site) -> None:
    criteria = site.catalog.criteria
    assert criteria
    assert criteria.tested.must_pass
    page = site.pages["results/standards/"]
    rows = page.tree.css('dl[aria-label="Required operators"] > div')
    groups = criteria.tested.must_pass.groups
    assert [row.css("dt")[0].text() for row in rows] == [group.title for group in groups]
    for row, group in zip(rows, groups, strict=True):
        shown = {code.text() for code in row.css(".operators code")}
        assert shown == {n for o in group.operators for n in (o.name, o.aten) if n}
        cited = [attribute(link, "href").removeprefix("#") for link in row.css(".cite a")]
        assert len(cited) == len(group.source)
        for anchor in cited:
            assert page.ids.count(anchor) == 1


def test_each_test_of_the_proposed_set_stands_there_with_its_reason(site: Site) -> None:
    assert site.catalog.criteria
    basic = site.catalog.criteria.basic_set
    assert basic
    page = site.pages["results/standards/"]
    shown = [item.text() for item in page.tree.css('dl[aria-label="Proposed basic tests"] li')]
    reasons = [test.why for group in basic.groups for test in group.tests]
    expected = [
        f"{suite}/{name}: {why}" for (suite, name), why in zip(basic.tests, reasons, strict=True)
    ]
    assert shown == expected
    assert "No level requires these" in page.one("main").text()
    assert f"--pytorch-files {','.join(basic.files)}" in page.one("main").text()


def test_every_form_is_linked_to_and_every_link_finds_its_form(site: Site) -> None:
    asked = {
        parse_qs(urlsplit(attribute(link, "href")).query)["template"][0]
        for page in site.pages.values()
        for link in page.tree.css('a[href*="/issues/new?template="]')
    }
    assert asked == {file.name for file in FORMS.iterdir()}


@pytest.mark.parametrize("form", sorted(FORMS.glob("*.yml")), ids=lambda file: file.name)
def test_a_form_is_one_that_github_reads(form: object) -> None:
    command = [sys.executable, "-m", "check_jsonschema"]
    builtin = ["--builtin-schema", "vendor.github-issue-forms", str(form)]
    done = subprocess.run([*command, *builtin], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
