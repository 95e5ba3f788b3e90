"""Every hostile text that is accepted shows as it was written, and makes nothing of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.site.vendor_text import render_vendor_text
from accelerator_reports.cli import main
from tests.built_site import Page, Site
from tests.hostile import markdown, texts
from tests.hostile.built import hostile_site, plain_site
from tests.hostile.platforms import NAMES, hostile_sources, plainly
from tests.portal.site.test_vendor_text import assert_harmless

__all__ = ["hostile_site", "plain_site"]

# What may stand in a vendor's text; everything else on a page is the site's own.
VENDORS = ".vendor-text"

# Tests stand on pages by the initial or the order of their names, which a text changes.
BY_INITIAL = re.compile(r"/tests/([^/]+/)?$|results/made-up/([0-9]+/)?$")

_COMMAND = "from accelerator_reports.cli import main; main()"


def made_of(html: str, *, without: str = VENDORS) -> Counter[tuple[str, ...]]:
    """Every element with the names of its attributes, outside of Markdown and code in questions.

    Elements of plots are counted once: a plot leaves out labels that do not fit.
    """
    tree = LexborHTMLParser(html)
    for node in tree.css("summary code, .fold-title code, h3 code"):
        node.unwrap()
    for node in tree.css(without):
        node.inner_html = ""
    plotted = {node.mem_id for node in tree.css("svg *")}
    kinds = [((str(n.tag), *sorted(n.attributes)), n.mem_id in plotted) for n in tree.css("*")]
    counts = Counter(kind for kind, in_plot in kinds if not in_plot)
    return counts + Counter({("svg", *kind) for kind, in_plot in kinds if in_plot})


def test_every_text_stands_somewhere(tmp_path: Path) -> None:
    supply = hostile_sources(tmp_path / "repository")
    assert min(supply.given.values()) > 0
    assert len(texts.ALL) > 100


def test_no_text_adds_an_element_or_an_attribute(hostile_site: Site, plain_site: Site) -> None:
    found, known = (
        {address: made_of(page.html) for address, page in site.pages.items()}
        for site in (hostile_site, plain_site)
    )
    initials = {address for address in {*found, *known} if BY_INITIAL.search(address)}
    assert found.keys() - initials == known.keys() - initials
    for address in known.keys() - initials:
        assert found[address] == known[address], address
    elements = {element for address in initials & known.keys() for element in known[address]}
    assert elements
    for address in initials & found.keys():
        assert found[address].keys() <= elements, address


def test_no_text_is_allowed_to_run_by_a_policy(hostile_site: Site, plain_site: Site) -> None:
    policy = "meta[http-equiv=Content-Security-Policy]"
    for address in hostile_site.pages.keys() & plain_site.pages.keys():
        found, known = (s.pages[address].one(policy).attributes for s in (hostile_site, plain_site))
        assert found == known, address


def test_markdown_makes_only_what_it_may(hostile_site: Site) -> None:
    boxes = [node for page in hostile_site.pages.values() for node in page.tree.css(VENDORS)]
    assert len(boxes) > 5 * len(NAMES)
    for box in boxes:
        for node in box.css("*")[1:]:
            assert node.tag not in {"script", "img", "svg", "iframe", "form", "style"}
            assert not [name for name in node.attributes if name.startswith("on")]


@pytest.mark.parametrize("kind", ["ELEMENTS", "MUTATIONS", "LANGUAGES"])
def test_what_is_refused_would_be_harmless_too(kind: str) -> None:
    for text in getattr(texts, kind).values():
        for written in (text, f"x {text}", f"- {text}", f"> {text}", f"### {text}", f"`{text}`"):
            html = render_vendor_text(written, "prepare", lambda _: None)
            assert_harmless(LexborHTMLParser(html))


@pytest.mark.parametrize("case", [*markdown.REFUSED, *markdown.ACCEPTED])
def test_markdown_is_harmless_even_where_the_rules_would_let_it_pass(case: str) -> None:
    text = markdown.ACCEPTED.get(case) or markdown.REFUSED[case][0]
    assert_harmless(LexborHTMLParser(render_vendor_text(text, "prepare", lambda _: None)))


def test_every_id_stands_once_on_its_page(hostile_site: Site) -> None:
    for page in hostile_site.pages.values():
        twice = [name for name, number in Counter(page.ids).items() if number > 1]
        assert not twice, page.address


def test_no_link_leads_where_a_script_could_be(hostile_site: Site) -> None:
    schemes = Counter(
        (value or "").partition(":")[0].strip().lower()
        for page in hostile_site.pages.values()
        for node in page.tree.css("[href], [src], [action], [formaction], [data]")
        for name, value in node.attributes.items()
        if name in {"href", "src", "action", "formaction", "data"} and ":" in (value or "")
    )
    assert set(schemes) <= {"https", "data"}, schemes


def shown(page: Page) -> str:
    return " ".join((page.tree.css("article")[0].text()).split())


@pytest.mark.parametrize("text", texts.ALL.values(), ids=list(texts.ALL))
def test_a_text_shows_as_it_was_written(text: str, hostile_site: Site) -> None:
    wanted = " ".join(text.split())
    pages = [page for page in hostile_site.pages.values() if wanted in shown(page)]
    assert pages, text


def test_the_feed_is_xml_and_its_texts_are_texts(hostile_site: Site) -> None:
    feed = ET.parse(hostile_site.root / "results/feed.atom").getroot()  # noqa: S314 - ours
    tags = {node.tag.rpartition("}")[2] for node in feed.iter()}
    assert tags == {"feed", "id", "title", "author", "name", "updated", "entry", "link"}
    titles = [node.text or "" for node in feed.iter() if node.tag.endswith("title")]
    assert any(NAMES["acme-x"] in title for title in titles)


def test_every_data_file_is_json_and_no_table_a_program(hostile_site: Site) -> None:
    files = [*hostile_site.root.rglob("api/**/*.json")]
    assert len(files) > 40
    for file in files:
        json.loads(file.read_text("utf-8"))
    tables = [*hostile_site.root.rglob("*.csv")]
    assert tables
    for table in tables:
        lines = table.read_text("utf-8").splitlines()
        assert not [line for line in lines if line.startswith(("=", "+", "-", "@", '"=', '"-'))]


def test_nothing_was_run_and_nothing_read(hostile_site: Site) -> None:
    assert not Path("/tmp/portal-was-here").exists()  # noqa: S108 - what a text would make
    for page in hostile_site.pages.values():
        assert "root:x:0" not in page.html
        assert " 49 " not in shown(page)


def test_nothing_stands_outside_of_the_site(hostile_site: Site) -> None:
    kinds = {file.suffix for file in hostile_site.root.rglob("*") if file.is_file()}
    pages = {
        ".html",
        ".json",
        ".csv",
        ".atom",
        ".css",
        ".js",
        ".svg",
        ".png",
        ".map",
        ".xml",
        ".gz",
    }
    search = {".pf_index", ".pf_fragment", ".pf_meta", ".pagefind"}
    assert kinds <= pages | search | {""}


def test_the_export_makes_no_more_of_a_text_than_the_site(tmp_path: Path) -> None:
    """Another engine reads the pages as CommonMark, with HTML."""
    engine = MarkdownIt("commonmark", {"html": True}).enable("table")
    found = []
    for name, words in (("hostile", str), ("plain", plainly())):
        root = tmp_path / name
        hostile_sources(root, words)
        out = tmp_path / f"{name}-out"
        with pytest.raises(SystemExit) as ended:
            main(["export", "--root", str(root), "--out", str(out)])
        assert ended.value.code == 0
        pages = sorted(out.rglob("*.md"))
        found.append(
            {p.relative_to(out).as_posix(): made_of(engine.render(_body(p))) for p in pages}
        )
    assert len(found[0]) > 20
    for page in found[1]:
        if not BY_INITIAL.search(page.replace(".md", "/").replace("/index/", "/")):
            assert found[0][page] == found[1][page], page


def _body(page: Path) -> str:
    return page.read_text("utf-8").split("---\n", 2)[2]


def test_what_the_command_line_says_moves_no_cursor_and_commands_no_workflow(
    tmp_path: Path,
) -> None:
    root = tmp_path / "repository"
    hostile_sources(root)
    for name in (
        "\x1b[2J\x1b[31mx",
        "a\n::error file=x::y",
        "::warning::x",
        "\u202ex",
        "##[error]x",
    ):
        (root / "accelerators/acme" / name).write_text("x", "utf-8")
    accelerator = root / "accelerators/acme/accelerator.yaml"
    text = accelerator.read_text("utf-8")
    accelerator.write_text(text.replace('"mark": "A0"', '"mark": "##[stop-commands]x"'), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, "check", "--root", str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    assert len(lines) >= 4
    assert all(line.isprintable() for line in lines)
    assert not [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
    assert len([line for line in lines if "stop-commands" in line]) == 2  # the problem, the line
