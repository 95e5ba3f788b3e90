"""The whole way: a vendor's folder full of markup, built, changes nothing but its own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.checks import load_and_check
from tests.built_site import EXAMPLE, Page, Site, build_site, copy_sources
from tests.day import TODAY
from tests.site.test_broken_folder import replace

MARKUP = '"></title><script>alert(1)</script><img src=x onerror=alert(1)>'
NAMES = (
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "<b>Acme</b>",
    "&lt;b&gt;",
)
FENCES = '~~~\n\n```{ .python onclick=alert(1) }\nx\n```\n\n<div markdown="1">\n\n# Big\n~~~'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Site:
    root = copy_sources(tmp_path_factory.mktemp("hostile"), EXAMPLE)
    folder = root / "accelerators/acme"
    for old, new in (
        ("name: Acme\n", "name: 'A_c_m*e* {{ 7 * 7 }} {: onclick=x }'\n"),
        ("vendor: Acme Works", f"vendor: '{MARKUP}'"),
        ("summary: An invented card.", f"summary: '{MARKUP} {{{{ 7 * 7 }}}} {{: onclick=x }}'"),
        ("description: An invented card", f"description: '{MARKUP}'  #"),
        ("value: acme,", f"value: '{MARKUP}',"),
        ("name: Any Linux", f"name: '{MARKUP}'"),
        ("command: acme-info", f"command: '{MARKUP}'"),
        ("chip: Chip", "chip: '<script>alert(1)</script>'"),
        ("note: Cards before", f"note: '{MARKUP}' #"),
        ("name: Third", "name: '<b>Third</b> {{ 7 * 7 }} {: onclick=x }'"),
        ("chip: a3", "chip: '\"><img src=x onerror=alert(1)>'"),
        ("also: [acme_20]", f"also: ['{MARKUP}', '~~~', '```', '# x']"),
        ("name: Acme 200,", f"name: '{MARKUP}',"),
        ("memory: HBM3", f"memory: '{MARKUP}'"),
        ("note: Without graphs.", f"note: '{MARKUP}'"),
        ("note: without dynamic shapes", f"note: '{MARKUP}'"),
        ("title: Acme Cloud", f"title: '{MARKUP}'"),
        ("note: Acme 200", f"note: '{MARKUP}'"),
        ("title: The forum", f"title: '{MARKUP}'"),
        ("title: The manual", f"title: '{MARKUP}'"),
    ):
        replace(folder / "accelerator.yaml", old, new)
    replace(folder / "install.yaml", "name: Acme 2", f"name: '{MARKUP}'")
    replace(folder / "install.yaml", "name: Acme driver", f"name: '{MARKUP} driver'")
    replace(
        folder / "install.yaml",
        'prints: "{torch}"',
        "prints: |\n      a\n      ```\n      <b>\n      ```",
    )
    replace(folder / "install.yaml", "note: The container", f"note: '{MARKUP}' #")
    replace(folder / "compatibility.yaml", "Acme driver: ", f"'{MARKUP} driver': ")
    written = json.dumps(f"{MARKUP} `{{{{ 7 * 7 }}}}`\n\n~~~\n\n<script>alert(1)</script>\n\n# Big")
    for file in (folder / "results").iterdir():
        for old in ("An invented run.", "It broke.", "Acme 200", "ok"):
            text = written if old in {"An invented run.", "It broke."} else json.dumps(MARKUP)
            replace(file, f'"{old}"', text)
        replace(file, '"second"', json.dumps(f"~~~ {MARKUP}"))
    replace(folder / "results/nightly-3.json", '"pytest -k first"', written)
    replace(folder / "guide.md", "Nothing more.", FENCES)
    replace(folder / "faq.md", "Does it exist?", "Does `<script>alert(1)</script>` exist?")
    return build_site(root, tmp_path_factory.mktemp("hostile-site"))


def shape(page: Page) -> list[tuple[str, tuple[str, ...]]]:
    """Every element with the names of its attributes, in order; a question may have code."""
    return [
        (str(node.tag), tuple(sorted(node.attributes)))
        for node in page.tree.css("*")
        if not (node.tag == "code" and node.css_matches("summary code"))
    ]


def counterpart(hostile: Site, address: str) -> Page:
    """The page that would be this one: a test that begins with a sign stands under another."""
    return hostile.pages[address.replace("made-up/tests/s/", "made-up/tests/0/")]


def platform_page(site: Site) -> Page:
    return site.pages["compute-platforms/acme/"]


def test_nothing_that_a_vendor_writes_becomes_an_element(example_site: Site, hostile: Site) -> None:
    for address, page in example_site.pages.items():
        if not address.endswith("compute-platforms/acme/"):
            assert shape(counterpart(hostile, address)) == shape(page), address


def test_nor_on_the_vendors_own_page(hostile: Site) -> None:
    for tree in (platform_page(hostile).tree, hostile.pages["zh/compute-platforms/acme/"].tree):
        assert not tree.css("article script, article img, article iframe")
        nodes = tree.css("*")
        assert not [node.html for node in nodes if {"onclick", "onerror"} & {*node.attributes}]


def test_markup_shows_as_it_was_written(hostile: Site) -> None:
    page = platform_page(hostile)
    assert page.one("h1").text().strip() == "A_c_m*e* {{ 7 * 7 }} {: onclick=x }"
    assert page.one(".lead .vendor").text() == MARKUP
    assert MARKUP in page.tree.css(".lead")[0].text()
    assert "{{ 7 * 7 }} {: onclick=x }" in page.tree.css(".lead")[0].text()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_markup_is_refused(name: str, tmp_path: Path) -> None:
    """Material writes titles into its menus, and into the page's title, as they are."""
    root = copy_sources(tmp_path / "repository", EXAMPLE)
    replace(root / "accelerators/acme/accelerator.yaml", "name: Acme", f"name: '{name}'")
    _, problems = load_and_check(root, TODAY)
    assert [(p.path, p.what.split(":")[0]) for p in problems[:1]] == [
        ("accelerators/acme/accelerator.yaml", "name")
    ]


def test_the_policies_allow_no_script_that_the_theme_did_not_bring(
    example_site: Site, hostile: Site
) -> None:
    for address, page in example_site.pages.items():
        policies = [
            tree.css("meta[http-equiv=Content-Security-Policy]")[0].attributes["content"]
            for tree in (page.tree, counterpart(hostile, address).tree)
        ]
        assert policies[0] == policies[1], address


def test_a_fence_within_code_stays_code(hostile: Site) -> None:
    code = platform_page(hostile).tree.css("#install ~ .vendor-text pre code")
    expected = '\n```{ .python onclick=alert(1) }\nx\n```\n\n<div markdown="1">\n\n# Big\n'
    assert code[0].text() == expected


def test_what_a_check_prints_is_shown_letter_by_letter(hostile: Site) -> None:
    (prints,) = platform_page(hostile).tree.css(".check-prints")
    assert prints.text() == "a\n```\n<b>\n```"


def test_the_example_is_what_it_is_compared_with(example_site: Site, tmp_path: Path) -> None:
    """So that a fault in the comparison itself would show."""
    page = platform_page(example_site)
    assert shape(page) == shape(Page("", page.html))
    assert shape(page) != shape(Page("", page.html.replace("<h1", "<img src=x><h1")))
    assert LexborHTMLParser(page.html).css("h1")
    assert not list(tmp_path.iterdir())
