"""What is known of a command's versions stands below it, for the Python that is chosen."""

from __future__ import annotations

import pytest

from tests.browser.visit import OpenPage, address_of, expect
from tests.built_site import Site
from tests.selector_choices import choices_of


@pytest.mark.parametrize("kind", ["installed", "found", "named", "unchecked"])
def test_it_is_said_for_the_python_that_is_chosen(
    kind: str, open_page: OpenPage, site: Site
) -> None:
    for row in site.selector.rows:
        pairs = zip(row.pythons or (), row.findings, strict=False)
        said = {python: finding for python, finding in pairs if finding and finding.kind == kind}
        if not said:
            continue
        python, finding = next(iter(said.items()))
        choice = next(c for c in choices_of(site.selector, row) if c["python"] == python)
        page = open_page(address_of(choice))
        box = page.locator("[data-part=finding]")
        expect(box).to_have_class(f"finding finding--{kind}")
        expect(box).to_be_visible()
        expect(box).to_have_text(finding.words)
        return
    pytest.fail(f"no command is {kind}: the committed verdicts have changed")


def test_what_no_index_is_asked_for_says_so(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&method=docker&os=linux")
    expect(page.locator("[data-part=commands]")).to_contain_text("docker")
    expect(page.locator("[data-part=finding]")).to_contain_text(
        "Not checked: contains other commands than pip and uv"
    )
