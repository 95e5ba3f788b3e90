"""The export is CommonMark that another site generator builds, with every link still alive."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.site.broken_links import BuiltSite, broken_links
from accelerator_portal.site.commonmark_export import EXPORT_INDEX, commonmark, export_files
from accelerator_portal.site.site_file import SiteFile
from accelerator_reports.cli import main
from tests.browser.kinds import KINDS, PLATFORMS
from tests.browser.watched import MISSING
from tests.built_site import Site
from tests.folders import REPOSITORY
from tests.made_once import made_once

# Another engine: Sphinx, whose MyST parser reads CommonMark. It serves folders, as the export says.
CONFIGURATION = """
project = "The portal's export, built by another engine"
extensions = ["myst_parser"]
html_theme = "basic"
html_permalinks = False
myst_all_links_external = True
html_extra_path = [{extra}]
suppress_warnings = ["toc.not_included"]
exclude_patterns = {excluded}
"""

# One page of each kind, and each with a vendor's texts, is built by it. The others are copied, so
# that links lead to them.
REBUILT = {*KINDS, *PLATFORMS} - {MISSING}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def export(out: Path) -> None:
        done = CliRunner().invoke(main, ["export", "--root", str(REPOSITORY), "--out", str(out)])
        assert done.exit_code == 0, done.output

    return made_once(tmp_path_factory, "export", export)


@pytest.fixture(scope="module")
def rebuilt(exported: Path, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The export, built by Sphinx."""

    def build(work: Path) -> None:
        extra = work / "extra"
        for file in exported.rglob("*"):
            if file.is_file() and file.suffix != ".md":
                target = extra / file.relative_to(exported)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(file)
        pages = {
            "" if path == "index.md" else path.removesuffix("index.md").replace(".md", "/"): path
            for path in (f.relative_to(exported).as_posix() for f in exported.rglob("*.md"))
        }
        copied = [address for address in pages if address not in REBUILT]
        excluded = [pages[address] for address in copied]
        configuration = CONFIGURATION.format(extra=repr(str(extra)), excluded=excluded)
        (work / "conf.py").write_text(configuration, "utf-8")
        options = ["-q", "-W", "--keep-going", "-b", "dirhtml", "-c"]
        folders = map(str, (work, "-d", work / "cache", exported, work / "site"))
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", *options, *folders],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert (done.returncode, done.stderr) == (0, "")
        for address in copied:
            (work / "site" / address).mkdir(parents=True, exist_ok=True)
            shutil.copy2(site.root / address / "index.html", work / "site" / address)

    return Site(made_once(tmp_path_factory, "rebuilt", build) / "site", site.catalog, site.selector)


def text_of(page: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text(separator=" ").split()) for node in page.css(selector)]


def own_addresses(site: Site) -> set[str]:
    """The addresses of all pages but those that only lead to another one."""
    return {a for a, page in site.pages.items() if not page.is_moved} - {"404.html"}


def test_every_page_of_the_site_is_there(exported: Path, site: Site) -> None:
    index = json.loads((exported / EXPORT_INDEX).read_text("utf-8"))
    pages = {entry["path"] for entry in index["pages"]}
    assert pages == {file.relative_to(exported).as_posix() for file in exported.rglob("*.md")}
    served = {path.removesuffix(".md").removesuffix("index") for path in pages}
    assert {
        f"{address}/" if address and not address.endswith("/") else address for address in served
    } == own_addresses(site)


@pytest.mark.parametrize("selector", ["table td", "dl dd", "summary", ".vendor-text pre", "h2"])
def test_another_engine_shows_the_same(rebuilt: Site, site: Site, selector: str) -> None:
    found = 0
    for address in sorted(REBUILT & own_addresses(site)):
        trees = (one.pages[address].tree for one in (site, rebuilt))
        mine, theirs = (text_of(tree, selector) for tree in trees)
        assert theirs == mine, address
        found += len(mine)
    assert found > 20


def test_another_engine_keeps_code_to_the_letter(rebuilt: Site, site: Site) -> None:
    for page in site.platform_pages():
        pairs = [tree.css("pre") for tree in (page.tree, rebuilt.pages[page.address].tree)]
        mine, theirs = ([node.text() for node in nodes] for nodes in pairs)
        assert theirs == mine, page.address


def test_every_link_between_pages_still_leads_somewhere(rebuilt: Site) -> None:
    faults = broken_links(BuiltSite(rebuilt.root))
    assert [one for one in faults if one.page.removesuffix("index.html") in REBUILT] == []


def test_every_anchor_is_kept(rebuilt: Site, site: Site) -> None:
    """But that of the title, which each engine makes from its words."""
    for address in sorted(REBUILT & own_addresses(site)):
        nodes = site.pages[address].tree.css("article [id]:not(h1)")
        ids = {str(node.attributes["id"]) for node in nodes}
        found = {*rebuilt.pages[address].ids}
        assert {name for name in ids if not name.startswith("__")} <= found, address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## A {: #a-b }", '<a id="a-b"></a>\n\n## A\n'),
        ("```\n## A {: #a }\n\n\n<div>\n```", "```\n## A {: #a }\n\n\n<div>\n```\n"),
        (
            "a\n<!--raw html-->\n<div>\nb\n</div>\n<!--end of raw html-->\nc",
            "a\n<div>\nb\n</div>\n\nc\n",
        ),
        ("<div>\n\n<p>b\n\n</p></div>\nc", "<div>\n<p>b\n</p></div>\n\nc\n"),
        ("<pre>\na\n\n\nb</pre>\nc", "<pre>\na&#10;&#10;\nb</pre>\n\nc\n"),
        ("<br>\n\n\nc", "<br>\n\nc\n"),
        ("a\n\n\n\nb", "a\n\nb\n"),
        ("[x](index.md#y)", "[x](../../a/#y)\n"),
        ("[x](../index.md) [y](c.md)", "[x](../../) [y](../../a/c/)\n"),
        ("[x](https://example.org/a.md)", "[x](https://example.org/a.md)\n"),
        ("<p>one</p></div>\nb", "<p>one</p></div>\n\nb\n"),
        ('<p title="a>\' b">one</p>\nb', '<p title="a>\' b">one</p>\n\nb\n'),
        ('<p\n\nid="a"\n>one\n\n</p>\nb', '<p\nid="a"\n>one\n</p>\n\nb\n'),
        ('<p title="a\n\nb">one</p>\nc', '<p title="a\nb">one</p>\n\nc\n'),
        ("<path/>\n\n\nb", "<path/>\n\nb\n"),
    ],
)
def test_what_is_not_commonmark_is_put_so(text: str, expected: str) -> None:
    assert commonmark("a/b.md", text) == expected
    assert commonmark("a/b.md", expected) == expected


def test_code_in_html_keeps_its_blank_lines() -> None:
    page = commonmark("a.md", "<div>\n<pre>a\n\n    b\n\n\nc\n</pre>\n</div>\n\n*d*")
    tree = LexborHTMLParser(MarkdownIt("commonmark").render(page))
    assert tree.css("pre")[0].text() == "a\n\n    b\n\n\nc\n"
    assert tree.css("em")[0].text() == "d"


def test_markdown_in_html_stays_markdown_and_code_with_html_stays_code() -> None:
    code = "```\n</details>\nlast\n```"
    page = commonmark(
        "a.md", f'<details markdown="1"><summary>s</summary>\n\n*a*\n\n</details>\n\n{code}'
    )
    tree = LexborHTMLParser(MarkdownIt("commonmark").render(page))
    assert tree.css("details em")[0].text() == "a"
    assert tree.css("pre")[0].text() == "</details>\nlast\n"


def test_front_matter_keeps_what_any_engine_may_use() -> None:
    content = '\n---\ntitle: "A: b"\ndescription: c\nhide: [toc]\n---\n\n# D\n'
    files = list(export_files(pages(content)))
    assert files[0].content == "---\ntitle: 'A: b'\ndescription: c\n---\n\n# D\n"
    entry = {"path": "a.md", "title": "A: b", "description": "c", "source": "x.yaml"}
    assert json.loads(files[-1].content)["pages"] == [entry]
    assert files[1].content == "{}"


def pages(content: str) -> Iterator[SiteFile]:
    yield SiteFile("a.md", content, "x.yaml")
    yield SiteFile("api/a.json", "{}")
