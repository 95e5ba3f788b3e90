"""The page of next steps says what each platform lacks, and how its vendor can add it."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

from accelerator_validation.cli.validate import validate
from tests.built_site import Site

PAGE = "contribute/next-steps/"


def test_each_platform_that_is_not_tested_is_listed_with_the_reasons_of_the_data(
    site: Site,
) -> None:
    data = json.loads((site.root / "api/v1/quality.json").read_text("utf-8"))
    page = site.pages[PAGE]
    listed = {node.attributes["id"] for node in page.tree.css("article h2")}
    lacking = {one["id"]: one["missing"][-1] for one in data["platforms"] if one["missing"]}
    assert lacking.keys() <= listed
    text = page.tree.text()
    assert all(reason.partition(": ")[2] in text for reason in lacking.values())


def test_an_issue_states_the_commands_and_never_goes_to_pytorch(site: Site) -> None:
    links = [link.attributes["href"] or "" for link in site.pages[PAGE].tree.css("article a")]
    issues = [urlsplit(link) for link in links if "/issues/new?" in link and "title=" in link]
    assert len(issues) > 5
    for issue in issues:
        assert not issue.path.startswith("/pytorch/pytorch/")
        (body,) = parse_qs(issue.query)["body"]
        assert "\naccelerator-portal validate --device " in body
        assert len(issue.geturl()) < 8000  # GitHub refuses longer ones


def test_the_commands_are_some_that_the_harness_takes(site: Site) -> None:
    codes = site.pages[PAGE].tree.css("article details code")
    commands = [line.split() for code in codes for line in code.text().splitlines() if line]
    assert commands
    known = {name for option in validate.params for name in option.opts}
    for words in commands:
        assert words[:2] == ["accelerator-portal", "validate"]
        assert {word for word in words if word.startswith("--")} <= known
