from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import Environment
from markdown import markdown

from accelerator_portal.site.templates import Templates
from accelerator_reports.files.problem import ProblemsError

ROWS = """\
{% for cells in rows %}
{% line %}
<tr>
{% for cell in cells %}
<td>{% inline %}
{% if cell %}
{{ cell }}
{% else %}
none
{% endif %}
{% endinline %}</td>
{% endfor %}
 </tr>
{% endline %}
{% endfor %}
end
"""


@pytest.fixture
def templates(tmp_path: Path) -> Templates:
    (tmp_path / "name.md").write_text("# {{ name | markdown }}\n", encoding="utf-8")
    (tmp_path / "code.html").write_text("{{ name | inline_code }}", encoding="utf-8")
    (tmp_path / "plain.html").write_text("{{ name }}", encoding="utf-8")
    (tmp_path / "rows.md").write_text(ROWS, encoding="utf-8")
    return Templates(tmp_path)


@pytest.mark.parametrize(
    "name", ['O\'Neil "X"', "a_b_c *d* [e](f) `g`", "1. A # B", "<b>&amp;</b>", "!~|\\"]
)
def test_markdown_shows_a_name_as_it_is(name: str, templates: Templates) -> None:
    shown = markdown(templates.render("name.md", name=name), extensions=["tables"])
    wanted = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = shown.replace("&#39;", "'").replace("&#34;", '"').replace("&quot;", '"')
    assert plain == f"<h1>{wanted}</h1>"


def test_only_backticks_make_code(templates: Templates) -> None:
    assert templates.render("code.html", name="`a<b` <i>") == "<code>a&lt;b</code> &lt;i&gt;"


def test_a_template_is_compiled_once_for_all_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no compiled template holds the words of a language."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "label.html").write_text("{{ 'Tested' | translatable }}", encoding="utf-8")
    chinese: Any = SimpleNamespace(
        code="zh", translate=lambda text: f"译{text}", gettext=str, ngettext=str
    )
    assert Templates(tmp_path).render("label.html") == "Tested"
    monkeypatch.setattr(Environment, "_generate", lambda *_: pytest.fail("compiled again"))
    assert Templates(tmp_path, chinese).render("label.html") == "译Tested"


def test_an_error_names_the_file_at_hand_wherever_it_was_compiled(tmp_path: Path) -> None:
    text = f"{{{{ name }}}}{{# {tmp_path} #}}\n{{% block b %}}{{{{ name }}}}{{% endblock %}}"
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.html").write_text(text, encoding="utf-8")
    assert Templates(tmp_path / "first").render("same.html", name="x") == "xx"
    with pytest.raises(ProblemsError, match=r"^site_src/templates/same.html:1: 'name' is"):
        Templates(tmp_path / "second").render("same.html")


def test_without_a_folder_for_temporary_files_templates_are_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    (tmp_path / "plain.html").write_text("{{ name }}", encoding="utf-8")
    assert Templates(tmp_path).render("plain.html", name="x") == "x"


def test_a_name_that_a_template_misspells_is_an_error(templates: Templates) -> None:
    place = r"^site_src/templates/plain.html:1: 'name' is undefined; correct the template$"
    with pytest.raises(ProblemsError, match=place):
        templates.render("plain.html", nam="x")


def test_every_template_with_a_syntax_error_is_a_problem_with_its_line(tmp_path: Path) -> None:
    bad = {"tag.md.j2": "x\n{% if %}{{ x", "filter.html.j2": "\n\n{{ 1 | nothing }}", "a.j2": "x"}
    for name, text in bad.items():
        (tmp_path / name).write_text(text, "utf-8")
    found = [str(problem) for problem in Templates(tmp_path).syntax_problems()]
    assert [line.split(" ")[0] for line in found] == [
        "site_src/templates/filter.html.j2:3:",
        "site_src/templates/tag.md.j2:2:",
    ]


def test_several_lines_of_a_template_are_one_of_the_page(templates: Templates) -> None:
    shown = templates.render("rows.md", rows=[["a", ""], ["<b>"]])
    assert shown == "<tr><td>a</td><td>none</td> </tr>\n<tr><td>&lt;b&gt;</td> </tr>\nend"


def test_the_line_breaks_of_a_value_stay(templates: Templates) -> None:
    assert "<td>a\nb</td>" in templates.render("rows.md", rows=[["a\nb"]])


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("--index-url a", '<span class="unbroken">--index-url</span> a'),
        ("Linux x86-64, ARM64", 'Linux <span class="unbroken">x86-64</span>, ARM64'),
        ("-e=a-b", '<span class="unbroken">-e</span>=a-b'),
        ("a-word-of-more-than-22-characters", "a-word-of-more-than-22-characters"),
        ("a-b<c 1 2", "a-b&lt;c 1 2"),
    ],
)
def test_short_words_break_at_no_hyphen(tmp_path: Path, text: str, html: str) -> None:
    (tmp_path / "words.html").write_text("{{ text | unbroken }}", encoding="utf-8")
    assert Templates(tmp_path).render("words.html", text=text) == html
