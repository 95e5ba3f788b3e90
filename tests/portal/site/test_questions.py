from __future__ import annotations

import pytest
from markupsafe import Markup
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.site.computed_answers import computed_sections, shared_computed_sections
from accelerator_portal.site.pages.questions import (
    ANY_PLATFORM,
    PageQuestion,
    question_on_other_page,
)
from accelerator_portal.site.vendor_text import SourceList, render_section
from tests.built_site import Site, attribute


def test_every_question_of_every_platform_stands_on_the_page_of_all(site: Site) -> None:
    shown = [
        (
            attribute(box, "data-question").partition("/")[0],
            box.css("summary")[0].text().split("  ")[-1].strip(),
        )
        for box in site.pages["questions/"].tree.css("details.question")
    ]
    assert site.catalog.faq
    shared = [*site.catalog.faq.sections, *shared_computed_sections(site.catalog)]
    asked = [(ANY_PLATFORM, s.title) for s in shared]
    for p in site.catalog.platforms:
        found = (*p.faq.sections, *computed_sections(site.catalog, p))
        asked += [(p.id, s.title) for s in found]
    assert [platform for platform, _ in shown] == [platform for platform, _ in asked]
    for (_, words), (_, title) in zip(shown, asked, strict=True):
        assert words.endswith(title)


def test_a_question_leads_to_its_place_on_the_platforms_page(site: Site) -> None:
    for link in site.pages["questions/"].tree.css("details.question > .question-source"):
        page, _, anchor = attribute(link, "href").removeprefix("../").partition("#")
        assert anchor in site.pages[page].ids


@pytest.fixture
def platform(catalog: Catalog) -> Platform:
    return catalog.platforms[0]


def elsewhere(platform: Platform, text: str, sources: SourceList) -> LexborHTMLParser:
    """An answer on the page of all questions."""
    question = PageQuestion(platform.id, platform.faq, "faq-x", "X?", Markup(""), text, sources)
    return LexborHTMLParser(question_on_other_page(question, "../").answer)


def test_links_and_ids_of_an_answer_are_right_on_another_page(platform: Platform) -> None:
    (name, *_) = platform.faq.sources
    text = f"#### Y\n\nSo it is [@{name}]: [x](https://example.org/)."
    sources = SourceList(platform.sourced_files())
    tree = elsewhere(platform, text, sources)
    assert [attribute(node, "id") for node in tree.css("[id]")] == [f"{platform.id}--faq-x--y"]
    entry = sources.entry("faq.md", name)
    assert entry is not None
    assert [attribute(node, "href") for node in tree.css("a")] == [
        "https://example.org/",
        f"../compute-platforms/{platform.id}/#{entry.anchor}",
    ]


def test_an_answer_leads_to_pages_of_the_site_from_each_page(platform: Platform) -> None:
    text = "[x](/hardware/#gpus), [y](/), [z](//example.org/)"
    own = LexborHTMLParser(render_section(platform.faq, SourceList(()), text, "faq-x"))
    assert [node.attributes.get("href") for node in own.css("a")] == [
        "../../hardware/#gpus",
        "../../",
        None,
    ]
    (link, *_) = elsewhere(platform, text, SourceList(())).css("a")
    assert attribute(link, "href") == "../hardware/#gpus"


def test_citations_stand_once_at_the_end_of_their_paragraph_without_a_space(
    platform: Platform,
) -> None:
    (name, *_) = platform.faq.sources
    text = f"One\n[@{name}]. Two [@{name}].\n\n- Three [@{name}], four\n"
    sources = SourceList(platform.sourced_files())
    tree = LexborHTMLParser(render_section(platform.faq, sources, text, "faq-x"))
    entry = sources.entry("faq.md", name)
    assert entry is not None
    found = [node.text() for node in tree.css("p, li")]
    assert found == [f"One. Two.{entry.number}", f"Three, four{entry.number}"]


def test_words_that_look_like_a_link_or_an_id_stay_as_they_were_written(platform: Platform) -> None:
    text = 'Write ` id="x"` and ` href="#x"`.'
    tree = elsewhere(platform, text, SourceList(()))
    assert [node.text() for node in tree.css("code")] == [' id="x"', ' href="#x"']


def test_answers_name_the_newest_versions(site: Site) -> None:
    newest = site.catalog.releases.newest.version
    audio = site.catalog.releases.companions_of(newest)["torchaudio"][0]
    for address in ("questions/", "zh/questions/", "compute-platforms/cuda/"):
        assert f"torchaudio=={audio}" in site.pages[address].html
    filled = [page for name, page in site.pages.items() if not name.startswith("contribute/")]
    assert [page.address for page in filled if "{newest:" in page.html] == []
