from __future__ import annotations

from markupsafe import Markup

from accelerator_portal.site.questions import Question, moved
from tests.built_site import Site, attribute


def test_every_question_of_every_platform_stands_on_the_page_of_all(site: Site) -> None:
    shown = [
        (attribute(box, "data-platform"), box.css("summary")[0].text().split("  ")[-1].strip())
        for box in site.pages["questions/"].tree.css("details.question")
    ]
    asked = [(p.id, s.title) for p in site.catalog.platforms for s in p.faq.sections]
    assert [platform for platform, _ in shown] == [platform for platform, _ in asked]
    for (_, words), (_, title) in zip(shown, asked, strict=True):
        assert words.endswith(title)


def test_a_question_leads_to_its_place_on_the_platforms_page(site: Site) -> None:
    for link in site.pages["questions/"].tree.css("details.question > p > a"):
        page, _, anchor = attribute(link, "href").removeprefix("../").partition("#")
        assert anchor in site.pages[page].ids


def test_links_and_ids_of_an_answer_are_right_on_another_page(site: Site) -> None:
    platform = site.catalog.platforms[0]
    answer = Markup(
        '<h4 id="faq-x-y">y</h4><a href="#source-faq-a">1</a><a href="https://a.b">x</a>'
    )
    found = moved(Question(platform, "faq-x", "X?", answer), "../")
    assert found.answer == (
        f'<h4 id="{platform.id}-faq-x-y">y</h4>'
        f'<a href="../compute-platforms/{platform.id}/#source-faq-a">1</a>'
        '<a href="https://a.b">x</a>'
    )
