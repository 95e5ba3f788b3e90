"""Update the message catalogs of the languages that mkdocs.yml lists, or check them.

Finds every message in templates, scripts, the library, data and mkdocs.yml, and writes each catalog
again: translations are kept, and new messages have none. If an English text changed, the new
message gets the old translation, marked as fuzzy, until a translator has compared the two. A
language without a catalog gets one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from mkdocs.utils.yaml import yaml_load

from accelerator_portal.catalog.catalog import CRITERIA, RELEASES
from accelerator_portal.catalog.files.accelerator import Purpose
from accelerator_portal.results.result_matrices import NO_PURPOSE
from accelerator_portal.site.languages import LOCALE_FOLDER, normalize_message
from accelerator_reports.outcomes import OUTCOMES, ReportKind

ROOT = Path(__file__).resolve().parents[1]

_JINJA_OPTIONS = {
    "extensions": "jinja2.ext.i18n,accelerator_portal.site.templates.Lines",
    "trimmed": "1",
}
_JINJA_OPTIONS |= {"trim_blocks": "1", "lstrip_blocks": "1", "newstyle_gettext": "1", "silent": "0"}
_TEMPLATE_FUNCTIONS = {"gettext": None, "ngettext": (1, 2), "_": None}

_PYTHON_FUNCTIONS = {"message": None, "plural": (1, 2), "gettext": None}

# The sources of messages: files, Babel's extraction method, and the functions that are called with
# a message.
_SOURCES: tuple[tuple[str, str, dict[str, Any], dict[str, str]], ...] = (
    ("site_src/templates/**/*.j2", "jinja2", _TEMPLATE_FUNCTIONS, _JINJA_OPTIONS),
    ("site_src/theme/**/*.html", "jinja2", _TEMPLATE_FUNCTIONS, _JINJA_OPTIONS),
    ("src/**/*.py", "python", _PYTHON_FUNCTIONS, {}),
    ("hooks/languages.py", "python", {"gettext": None}, {}),
)

# Babel's reader of JavaScript overlooks a call within another one.
_SCRIPTS = "site_src/scripts/*.js"
_STRING = r'"(?:[^"\\]|\\.)*"'
_SCRIPT_CALL = re.compile(rf"\b(?:say|sayParts|sayCount)\(\s*({_STRING})(?:,\s*({_STRING}))?")

_PLACEHOLDER = re.compile(r"%\((\w+)\)s|\{(\w+)\}")


def messages() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Yield the path of a file and a message in it, for each message.

    A message with a plural is a pair of singular and plural.
    """
    for pattern, method, keywords, options in _SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            with path.open("rb") as file:
                for _, text, _, _ in extract(method, file, keywords, options=options):
                    found = (text,) if isinstance(text, str) else tuple(text)
                    texts = tuple(map(normalize_message, found))
                    yield path.relative_to(ROOT).as_posix(), texts if len(texts) > 1 else texts[0]
    for path in sorted(ROOT.glob(_SCRIPTS)):
        for one, many in _SCRIPT_CALL.findall(path.read_text(encoding="utf-8")):
            texts = (json.loads(one), json.loads(many)) if many else json.loads(one)
            yield path.relative_to(ROOT).as_posix(), texts
    configuration = yaml_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    yield from (("mkdocs.yml", text) for text in _config_messages(configuration))
    yield from _data_messages()
    catalog = yaml_load((ROOT / RELEASES).read_text(encoding="utf-8"))
    notes = (one["note"] for one in catalog["releases"] if one.get("note"))
    yield from ((RELEASES, normalize_message(note)) for note in notes)
    yield from ((RELEASES, one["name"]) for one in catalog["mirrors"])
    criteria = yaml_load((ROOT / CRITERIA).read_text(encoding="utf-8"))
    for level in criteria["levels"]:
        yield CRITERIA, normalize_message(level["title"])
        yield CRITERIA, normalize_message(level["meaning"])


def _data_messages() -> Iterator[tuple[str, str]]:
    """Yield the words in data that pages translate, such as outcomes, with the file of each."""
    for info in OUTCOMES.values():
        yield "packages/reports/src/accelerator_reports/outcomes.py", info.words
        yield "packages/reports/src/accelerator_reports/outcomes.py", info.meaning
    for kind in get_args(ReportKind):
        yield "packages/reports/src/accelerator_reports/outcomes.py", kind
    for purpose in (*get_args(Purpose), "training and inference", NO_PURPOSE):
        yield "src/accelerator_portal/catalog/files/accelerator.py", purpose
    # A mode of tests that is no purpose of hardware.
    yield "packages/validation/src/accelerator_validation/suites/model_comparison.py", "generate"
    for path in sorted(ROOT.glob("data/suites/*.yaml")):
        if models := yaml_load(path.read_text(encoding="utf-8")).get("models"):
            yield path.relative_to(ROOT).as_posix(), models


def _config_messages(configuration: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of mkdocs.yml that readers see."""
    yield configuration["copyright"]
    yield configuration["repo_name"]
    yield from (one["toggle"]["name"] for one in configuration["theme"]["palette"])

    def titles(entries: list[Any]) -> Iterator[str]:
        for entry in entries:
            for title, below in entry.items() if isinstance(entry, dict) else ():
                yield title
                yield from titles(below) if isinstance(below, list) else ()

    yield from titles(configuration["nav"])


def message_template() -> Catalog:
    """Return a catalog with all messages and no translation."""
    found = Catalog(fuzzy=False)
    for path, text in messages():
        found.add(text, locations=[(path, 0)])
    return found


def updated_catalog(code: str, message_template: Catalog) -> Catalog:
    """Return the catalog of a language with exactly the messages of the template."""
    path = ROOT / LOCALE_FOLDER / f"{code}.po"
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=code)
    else:
        catalog = Catalog(locale=code)
    catalog.update(message_template, update_header_comment=False)
    return catalog


def catalog_text(catalog: Catalog) -> str:
    """Return the text of a catalog's file, without dates and line numbers, which often change."""
    file = BytesIO()
    write_po(
        file,
        catalog,
        width=0,
        omit_header=True,
        ignore_obsolete=True,
        include_lineno=False,
        sort_output=False,
    )
    language = Locale.parse(str(catalog.locale))
    head = (
        f"# Messages in {language.english_name}. To update: make messages\n"
        'msgid ""\nmsgstr ""\n'
        f'"Language: {catalog.locale}\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    )
    return head + file.getvalue().decode()


def catalog_faults(catalog: Catalog) -> Iterator[str]:
    """Yield a text for each message whose translation is missing, fuzzy or has wrong placeholders.

    A catalog with faults cannot be published.
    """
    for entry in catalog:
        if not entry.id:
            continue
        forms, texts = _as_list(entry.id), _as_list(entry.string)
        known = _placeholders(" ".join(forms))
        if not texts or not all(texts):
            yield f"no translation: {forms[0]}"
        elif entry.fuzzy:
            yield f"the English text changed; compare, then remove `fuzzy`: {forms[0]}"
        elif any(_placeholders(text) - known for text in texts):
            yield f"the translation has a placeholder that the message does not have: {forms[0]}"
        elif any(known - _placeholders(text) - {"num", "count"} for text in texts):
            yield f"the translation lacks a placeholder: {forms[0]}"


def _as_list(text: str | Iterable[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else [*(text or ())]


def _placeholders(text: str) -> set[str]:
    return {one or other for one, other in _PLACEHOLDER.findall(text)}


def main() -> int:
    """Update or check the catalogs; with `--check`, return 1 if any is outdated or incomplete."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if something is missing"
    )
    check = parser.parse_args().check
    configuration = yaml_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    found = message_template()
    wrong = 0
    for code in configuration["extra"].get("languages") or ():
        path = ROOT / LOCALE_FOLDER / f"{code}.po"
        catalog = updated_catalog(code, found)
        text = catalog_text(catalog)
        listed = [*catalog_faults(catalog)]
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            listed.insert(0, "differs from the sources. Run: make messages")
        wrong += len(listed)
        for fault in listed:
            print(f"{path.relative_to(ROOT)}: {fault}", file=sys.stderr)
        print(f"{path.relative_to(ROOT)}: {len(found)} messages, {len(listed)} to complete")
    return int(check and wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
