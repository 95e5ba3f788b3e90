"""A small site of files written here: each thing that can be wrong with a link is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.site.broken_links import KEY_FILES, BuiltSite, site_faults

PAGE = """<!doctype html><link href="/style.css" rel="stylesheet"><h1 id="top">A page</h1>
<a href="#top">up</a> <a href="../">home</a> <a href="https://pytorch.org/">elsewhere</a>
<form data-selector="../api/v1/install.json"></form>{more}"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in KEY_FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}" if name.endswith(".json") else "<h1 id='here'>A page</h1>", "utf-8")
    (tmp_path / "style.css").touch()
    return tmp_path


def said(root: Path, more: str = "") -> list[str]:
    (root / "get-started/index.html").write_text(PAGE.format(more=more), "utf-8")
    return [str(fault) for fault in site_faults(BuiltSite(root))]


def test_a_whole_site_has_no_faults(root: Path) -> None:
    assert said(root, '<a href="../results/dashboard/?a=b#here">x</a>') == []


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("nowhere/", "nowhere/: no such file"),
        ("#nowhere", "#nowhere: no such anchor"),
        ("../results/#nowhere", "../results/#nowhere: no such anchor"),
        ("../results", "../results: a folder without its final /"),
        ("../../../etc/passwd", "../../../etc/passwd: no such file"),
        ("../%2e%2e/%2e%2e/etc/", "../%2e%2e/%2e%2e/etc/: no such file"),
        ("http://a.example/", "http://a.example/: not https"),
        ("javascript:alert(1)", "javascript:alert(1): not https"),
        ("../none.css", "../none.css: no such file"),
    ],
)
def test_each_fault_is_named(root: Path, address: str, fault: str) -> None:
    assert said(root, f'<a href="{address}">x</a>') == [f"get-started/index.html: {fault}"]


@pytest.fixture
def on_pages(root: Path) -> Path:
    """The same site at the address of a project's Pages."""
    address = "https://example.github.io/portal/"
    (root / "index.html").write_text(f'<link rel="canonical" href="{address}">', "utf-8")
    (root / "404.html").write_text('<a href="/portal/results/#here">x</a>', "utf-8")
    (root / "get-started/index.html").write_text('<a href="../results/">x</a>', "utf-8")
    return root


def test_a_site_below_the_path_of_a_project_has_no_faults(on_pages: Path) -> None:
    assert list(site_faults(BuiltSite(on_pages))) == []


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("/portal/nowhere/", "/portal/nowhere/: no such file"),
        ("/portal/results/#nowhere", "/portal/results/#nowhere: no such anchor"),
        ("/results/", "/results/: outside the site, which is at /portal/"),
        ("/portals/", "/portals/: outside the site, which is at /portal/"),
    ],
)
def test_an_address_that_leaves_the_path_of_the_project_is_named(
    on_pages: Path, address: str, fault: str
) -> None:
    (on_pages / "404.html").write_text(f'<a href="{address}">x</a>', "utf-8")
    assert [str(one) for one in site_faults(BuiltSite(on_pages))] == [f"404.html: {fault}"]


def test_a_fault_that_a_page_repeats_is_named_once(root: Path) -> None:
    assert len(said(root, '<img src="no.png"><a href="no.png">x</a>')) == 1


def test_key_files_must_be_there(root: Path) -> None:
    (root / "pagefind/en/pagefind-entry.json").unlink()
    assert said(root) == ["pagefind/en/pagefind-entry.json: the file is missing"]
