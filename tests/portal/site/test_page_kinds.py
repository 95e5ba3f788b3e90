"""Tests in the browser look at one page of each kind: here, that no kind is forgotten."""

from __future__ import annotations

from tests.browser.kinds import FAMILIES, KINDS, NAVIGATION
from tests.browser.watched import MISSING
from tests.built_site import Site


def test_every_page_is_in_the_navigation_or_has_a_family(site: Site) -> None:
    strangers = [
        address
        for address in site.pages
        if address not in NAVIGATION and not any(f.fullmatch(address) for f in FAMILIES)
    ]
    assert strangers == []


def test_every_kind_is_a_page_of_its_own(site: Site) -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert set(KINDS) - {MISSING} <= site.pages.keys()
    assert MISSING not in site.pages


def test_every_family_has_more_pages_than_the_navigation_names(site: Site) -> None:
    for pattern, page in FAMILIES.items():
        assert page == MISSING or pattern.fullmatch(page)
        assert any(pattern.fullmatch(a) for a in site.pages.keys() - set(NAVIGATION)), pattern
