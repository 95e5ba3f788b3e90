from __future__ import annotations

import pytest
from babel.messages.catalog import Catalog

from tools.messages import catalog_faults, catalog_text, main, message_template, messages


def catalog(text: str | tuple[str, ...], string: str | tuple[str, ...], *flags: str) -> Catalog:
    made = Catalog(locale="de")
    made.add(text, string, flags=flags)
    return made


def test_published_languages_have_every_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["messages", "--check"])
    assert main() == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (catalog("Copy", ""), "no translation: Copy"),
        (catalog(("{count} card", "{count} cards"), ("{count} Karte", "")), "no translation"),
        (catalog("Copy", "Finden", "fuzzy"), "the English text changed"),
        (catalog("not for {platform}", "nicht dafür"), "lacks a placeholder"),
        (catalog("not for {platform}", "nicht für {plattform}"), "does not have"),
    ],
)
def test_nothing_in_a_published_language_is_left_to_guess(found: Catalog, words: str) -> None:
    (fault,) = catalog_faults(found)
    assert words in fault


def test_a_complete_catalog_has_no_fault() -> None:
    assert [*catalog_faults(catalog("not for {platform}", "nicht für {platform}"))] == []


def test_messages_come_from_templates_scripts_the_library_and_the_configuration() -> None:
    found = {text: path for path, text in messages()}
    assert found["Requirements"].endswith("selector.html.j2")
    assert found["Copied"].endswith("copying.js")
    assert found["{one} or {other}"].endswith("finder-view.js")  # in a call within another
    assert found["Operating system"].endswith("rows.py")
    assert found["Plugin release lag"] == "mkdocs.yml"
    assert ("%(num)s question", "%(num)s questions") in found


def test_a_catalog_without_changes_is_written_as_it_was() -> None:
    empty = message_template()
    empty.locale = "zh"
    text = catalog_text(empty)
    assert "POT-Creation-Date" not in text
    assert text == catalog_text(empty)
