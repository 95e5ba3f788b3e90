from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
import yaml

from accelerator_portal.catalog.loader import load_catalog
from accelerator_portal.catalog.message import and_list, comma_list, join_sentences, message
from accelerator_portal.site.build import redirect_links
from accelerator_portal.site.languages import (
    ENGLISH,
    LOCALE_FOLDER,
    Language,
    published_languages,
    read_language,
)
from accelerator_portal.site.pages.platforms import vendor_texts
from accelerator_portal.site.pages.questions import platform_questions, translated_questions
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.vendor_text import SourceList
from accelerator_reports.files.problem import ProblemsError
from tests.built_site import Site
from tests.folders import EXAMPLE, REPOSITORY, Tree

KLINGON = Language(
    "tlh",
    {
        "{one} and {other}": ("{other} je {one}",),
        "{one}, {other}": ("{one} - {other}",),
        "not for {platform}": ("{platform} Qo'",),
        "Copy": ("qon",),
        'See <a href="%(to)s">%(name)s</a>.': ('<a href="%(to)s">%(name)s</a> yIlegh.',),
        "%(num)s card": ("%(num)s chaw'", "%(num)s chaw'mey"),
    },
)


def test_a_message_is_english_text_that_a_language_can_say_again() -> None:
    said = message("not for {platform}", platform=and_list(["CPU", "CUDA"]))
    assert said == "not for CPU and CUDA"
    assert ENGLISH.translate(said) == "not for CPU and CUDA"
    assert KLINGON.translate(said) == "CUDA je CPU Qo'"


def test_what_has_no_translation_stays_english() -> None:
    assert KLINGON.translate(message("Nightly")) == "Nightly"
    assert KLINGON.translate("Copy") == "Copy"  # a name, not a message


def test_lists_and_sentences_are_joined_as_the_language_does() -> None:
    assert comma_list(["a", "b", "c"]) == "a, b, c"
    assert join_sentences(["A.", "B."]) == "A. B."
    assert KLINGON.translate(comma_list(["a", "b", "c"])) == "a - b - c"


def test_values_with_braces_are_values() -> None:
    assert message("Reason: {reason}.", reason="{x} {0}") == "Reason: {x} {0}."


def templates(folder: Path, text: str, language: Language = ENGLISH) -> str:
    (folder / "page.j2").write_text(text, encoding="utf-8")
    return Templates(folder, language).render("page.j2", name="<b>", count=2)


def test_templates_say_messages_and_escape_values(tmp_path: Path) -> None:
    text = '{% trans to="x", name %}See <a href="{{ to }}">{{ name }}</a>.{% endtrans %}'
    assert templates(tmp_path, text) == 'See <a href="x">&lt;b&gt;</a>.'
    assert templates(tmp_path, text, KLINGON) == '<a href="x">&lt;b&gt;</a> yIlegh.'


def test_values_in_messages_show_what_would_hide_or_turn_text(tmp_path: Path) -> None:
    text = '{% trans to="x", name="a\u202eb" %}See <a href="{{ to }}">{{ name }}</a>.{% endtrans %}'
    assert "a\\u202eb" in templates(tmp_path, text)


def test_templates_count(tmp_path: Path) -> None:
    text = '{{ ngettext("%(num)s card", "%(num)s cards", count) }}'
    assert templates(tmp_path, text) == "2 cards"
    assert templates(tmp_path, text, KLINGON) == "2 chaw'mey"


def test_line_breaks_of_a_template_do_not_make_another_message(tmp_path: Path) -> None:
    assert templates(tmp_path, '{{ _("Co\n  py") }}') == "Co\n  py"
    language = Language("x", {"Co py": ("kopieren",)})
    assert templates(tmp_path, '{{ _("Co\n  py") }}', language) == "kopieren"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / LOCALE_FOLDER).mkdir(parents=True)
    text = (
        'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n'
        '\n#: a.j2\nmsgid "Copy"\nmsgstr "Kopieren"\n'
        '\n#, fuzzy\nmsgid "Find"\nmsgstr "Falsch"\n'
        '\nmsgid "Menu"\nmsgstr ""\n'
        '\n#: x/finder.js\nmsgid "{count} match."\nmsgid_plural "{count} matches."\n'
        'msgstr[0] "{count} Treffer."\nmsgstr[1] "{count} Treffer."\n'
    )
    (tmp_path / LOCALE_FOLDER / "de.po").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_language_is_one_file(root: Path) -> None:
    german = read_language(root, "de")
    assert german.gettext("Copy") == "Kopieren"
    assert german.gettext("Find") == "Find"  # fuzzy: nobody has compared it
    assert german.gettext("Menu") == "Menu"
    assert german.ngettext("{count} match.", "{count} matches.", 1) == "{count} Treffer."
    assert german.in_scripts == {"{count} match.": ("{count} Treffer.", "{count} Treffer.")}


def test_the_configuration_lists_the_languages(root: Path) -> None:
    assert [one.code for one in published_languages(root, ["de"])] == ["de"]
    assert published_languages(root, None) == []
    with pytest.raises(
        ProblemsError, match=r"^site_src/locale/fr\.po:1: file not found; run: make"
    ):
        published_languages(root, ["de", "fr"])


def test_links_lead_to_the_language_or_say_that_they_do_not() -> None:
    language = Language("de", {"{title} (English)": ("{title} (englisch)",)})
    content = (
        '<a href="../">Start</a> <a href="../get-started/#verify">Los</a> <a href="../packages/">P</a>'
        ' <a href="../api/v1/x.json">JSON</a> <a href="../compute-platforms/x.csv">CSV</a>'
        " [Los](get-started.md#verify) [P](packages/index.md#see) [R](contribute/report.md)"
    )
    note = 'hreflang="en" data-language=" (englisch)"'
    assert redirect_links(content, "index.md", "../", language) == (
        '<a href="../de/">Start</a> <a href="../de/get-started/#verify">Los</a>'
        f' <a href="../packages/" {note}>P</a>'
        ' <a href="../api/v1/x.json">JSON</a> <a href="../compute-platforms/x.csv">CSV</a>'
        f' [Los](get-started.md#verify) <a href="../packages/#see" {note}>P</a>'
        f' <a href="../contribute/report/" {note}>R</a>'
    )


def test_links_in_vendors_texts_lead_to_the_language_or_to_the_english_page() -> None:
    content = (
        '<a href="../../versions/followed/#x">F</a> <a href="../../versions/">V</a>'
        ' <a href="../../">Start</a> <a href="../../api/v1/x.json">JSON</a> <a href="../other/">O</a>'
    )
    assert redirect_links(content, "compute-platforms/a.md", "../../../", Language("de")) == (
        '<a href="../../../versions/followed/#x" hreflang="en" data-language=" (English)">F</a>'
        ' <a href="../../../de/versions/">V</a> <a href="../../../de/">Start</a>'
        ' <a href="../../../api/v1/x.json">JSON</a> <a href="../other/">O</a>'
    )


def test_a_third_language_is_one_file_and_one_line(extended_site: Site) -> None:
    page = extended_site.pages["ja/get-started/"]
    assert page.one("html").attributes["lang"] == "ja"
    assert page.one("h1").text() == "はじめに"
    versions = [link.attributes["hreflang"] for link in page.tree.css("a.language")]
    assert versions == ["en", "zh"]


def test_every_version_of_a_page_names_the_others(site: Site) -> None:
    for address in ("", "get-started/", "questions/"):
        for page, other, code in (
            (address, f"zh/{address}", "zh"),
            (f"zh/{address}", address, "en"),
        ):
            tree = site.pages[page].tree
            (alternate,) = tree.css('link[rel~="alternate"][hreflang]')
            (link,) = tree.css("a.language")
            assert alternate.attributes["hreflang"] == link.attributes["hreflang"] == code
            assert resolved(page, link.attributes["href"] or "") == other


def test_pages_without_another_version_offer_none(site: Site) -> None:
    tree = site.pages["contribute/rules/"].tree
    assert tree.css("a.language, link[hreflang]") == []


def test_the_navigation_says_which_pages_are_in_english(site: Site) -> None:
    tree = site.pages["zh/versions/"].tree
    links = {one.text().strip(): one.attributes["href"] for one in tree.css(".md-nav__link[href]")}
    assert links["版本"] == "./"
    assert links["插件发布延迟\uff08英文\uff09"] == "../../versions/followed/"


def test_chinese_pages_share_a_file_with_the_messages_of_their_scripts(site: Site) -> None:
    assert read_language(REPOSITORY, "zh").in_scripts
    files = {
        resolved(address, page.one("#messages").attributes["data-file"] or "")
        for address, page in site.pages.items()
        if address.startswith("zh/")
    }
    assert files == {"zh/messages.json"}
    said = json.loads((site.root / "zh/messages.json").read_text(encoding="utf-8"))
    assert said["texts"]["Copied"] == "已复制"
    assert {"", "get-started/", "compute-platforms/", "compute-platforms/*/"} <= {*said["pages"]}


def test_notes_of_vendors_are_shown_in_chinese_if_they_have_a_translation(site: Site) -> None:
    hygon = site.pages["zh/compute-platforms/hygon/"]
    note = hygon.one("[data-part=note]")
    assert note.text().startswith("该软件包索引")
    assert "lang" not in note.attributes
    needs = hygon.tree.css("[data-part=needs] li")
    assert needs[0].text().strip() == "海光驱动程序"
    assert "lang" not in needs[0].attributes
    assert "一块卡有两个 NPU" in site.pages["zh/compute-platforms/ascend/"].one("main").text()
    note = site.pages["zh/compute-platforms/rbln/"].one("[data-part=note]")
    assert note.attributes["lang"] == "en"


@pytest.mark.parametrize("damaged", ['"A note": "', '"A note": [1, 2]', '- "A note"'])
def test_damaged_texts_of_vendors_are_a_problem_with_its_file(tmp_path: Path, damaged: str) -> None:
    folder = tmp_path / LOCALE_FOLDER
    folder.mkdir(parents=True)
    (folder / "zh.po").write_bytes((REPOSITORY / LOCALE_FOLDER / "zh.po").read_bytes())
    (folder / "zh.vendors.yaml").write_text(damaged, "utf-8")
    with pytest.raises(ProblemsError, match=r"site_src/locale/zh\.vendors\.yaml:1: "):
        read_language(tmp_path, "zh")


def test_a_vendor_s_guide_is_shown_in_chinese_if_it_has_a_translation(site: Site) -> None:
    with_one, without = (
        site.pages["zh/compute-platforms/mlu/"],
        site.pages["zh/compute-platforms/tpu/"],
    )
    guide = with_one.one("#prepare + .vendor-text")
    assert "寒武纪" in guide.text()
    assert "lang" not in guide.attributes
    assert "寒武纪" in with_one.one(".lead").text()
    assert without.one("#prepare + .vendor-text").attributes["lang"] == "en"
    assert (
        "lang" not in site.pages["compute-platforms/mlu/"].one("#prepare + .vendor-text").attributes
    )


def test_answers_are_shown_in_chinese_if_they_have_a_translation(site: Site) -> None:
    for address, selector in (
        ("zh/compute-platforms/mlu/", "#faq-where-can-i-download-torch-mlu"),
        ("zh/questions/", "[data-question='mlu/faq-where-can-i-download-torch-mlu'] summary"),
    ):
        title = site.pages[address].one(selector)
        assert "在哪里下载 torch_mlu\uff1f" in title.text()
        assert "寒武纪" in site.pages[address].one(f"{selector} + .vendor-text").text()
        assert "lang" not in site.pages[address].one(f"{selector} + .vendor-text").attributes
        other = selector.replace(
            "where-can-i-download-torch-mlu", "why-is-there-no-module-torch-mlu-core"
        )
        assert site.pages[address].one(f"{other} + .vendor-text").attributes["lang"] == "en"


def test_a_translated_answer_says_that_it_is_older(tree: Tree) -> None:
    text = "---\ntranslates: en-000000000000\n---\n\n## Does it exist?\n\n### 存在\n\n否\n"
    catalog, _ = load_catalog(tree({**EXAMPLE, "accelerators/example/faq.ja.md": text}))
    assert catalog
    (platform,) = catalog.platforms
    english = platform_questions(catalog, platform, SourceList(platform.sourced_files()))[0]
    (found,) = translated_questions([english], platform, Language("ja"))
    assert (found.title, found.language, found.is_older) == ("存在", "ja", True)
    assert found.anchor == english.anchor
    assert translated_questions([english], platform, ENGLISH) == [english]


def test_a_page_says_that_its_guide_was_translated_from_an_older_text(tree: Tree) -> None:
    text = "---\ntranslates: en-000000000000\n---\n\n## Prepare\n\n準備\n"
    text += "".join(f"\n## {name}\n\n-\n" for name in ("Install", "Start", "Deploy", "Help"))
    catalog, _ = load_catalog(tree({**EXAMPLE, "accelerators/example/guide.ja.md": text}))
    assert catalog
    (platform,) = catalog.platforms
    found = vendor_texts(platform, SourceList(platform.sourced_files()), Language("ja"))
    assert found["is_older"]
    beginning, _ = found["guide"]["Prepare"]
    assert "準備" in beginning
    assert not vendor_texts(platform, SourceList(platform.sourced_files()), ENGLISH)["is_older"]


def test_chinese_texts_have_a_space_beside_latin_words() -> None:
    crowded = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")
    for path in REPOSITORY.glob("accelerators/*/*.zh.md"):
        text = re.sub(r"```.*?```|\(https?://[^)]*\)", "", path.read_text("utf-8"), flags=re.DOTALL)
        assert crowded.findall(text) == [], path
    for path in REPOSITORY.glob("site_src/locale/zh.vendors.yaml"):
        texts = yaml.safe_load(path.read_text("utf-8"))
        assert [text for text in texts.values() if crowded.search(text)] == []


def test_translations_of_vendors_texts_translate_what_the_data_say() -> None:
    said = " ".join(
        " ".join(path.read_text("utf-8").split())
        for pattern in ("accelerators/*/*.yaml", "data/**/*.yaml")
        for path in REPOSITORY.glob(pattern)
    )
    for path in REPOSITORY.glob("site_src/locale/*.vendors.yaml"):
        texts = yaml.safe_load(path.read_text("utf-8"))
        assert [text for text in texts if plain(text) not in plain(said)] == []


def plain(text: str) -> str:
    """The text without spaces and quotes: YAML breaks lines, and escapes quotes within quotes."""
    return re.sub(r"[\s\"'\\\\]", "", text)


def resolved(page: str, href: str) -> str:
    return urljoin(f"https://x.example/{page}", href).removeprefix("https://x.example/")
