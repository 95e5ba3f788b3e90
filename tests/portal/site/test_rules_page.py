"""The page of rules is made from the rules, and the guidelines lead to it."""

from __future__ import annotations

from accelerator_portal.checks import RULES
from accelerator_portal.checks.folder_limits import RULE
from tests.built_site import Site, attribute


def test_every_rule_has_its_words_and_an_address(site: Site) -> None:
    page = site.pages["contribute/rules/"]
    text = " ".join(page.one("article").text().split())
    for rule in RULES:
        assert rule.id in page.ids
        assert rule.summary.replace("`", "") in text
    assert RULE in page.ids
    assert "are 10 seconds of processor time and 1 GB of memory" in text
    warnings = sum(rule.level == "warning" for rule in RULES)
    assert text.count("warning only") == warnings


def test_the_guidelines_lead_to_the_rules_and_to_the_hosts(site: Site) -> None:
    links = {attribute(a, "href") for a in site.pages["contribute/guidelines/"].tree.css("a[href]")}
    assert "../rules/" in links
    assert any(link.endswith("data/hosts.yaml") for link in links)
