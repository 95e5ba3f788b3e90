"""The index of the search: which texts and sections it has, and what happens when Pagefind fails."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from accelerator_portal.site.search import SearchedPage, write_search_index

GLOSSARY = """<h1>Terms</h1><p>All<sup class="cite">12</sup>.</p><dl><dt>a</dt><dd>b</dd></dl><table><tr><th>c</th><th>d</th></tr></table><h2 id="driver"><a href="#driver">Driver</a></h2><p>Controls it.</p>
<h2 id="wheel">Wheel</h2><p data-search-exclude>hidden</p><form>choices</form>"""


def records(pages: list[SearchedPage], language: str, folder: Path) -> list[dict[str, Any]]:
    """What the search shows of each page, as Pagefind stores it."""
    write_search_index(pages, language, folder)
    texts = [gzip.decompress(file.read_bytes()) for file in folder.glob("fragment/*")]
    found = [json.loads(text.removeprefix(b"pagefind_dcd")) for text in texts]
    return sorted(found, key=lambda record: str(record["meta"].get("address")))


def test_a_page_is_one_result_or_one_for_each_section(tmp_path: Path) -> None:
    whole = SearchedPage("glossary/", "Terms", GLOSSARY, ("word",), 20)
    (record,) = records([whole], "en", tmp_path / "whole")
    assert record["meta"] == {
        "address": "glossary/",
        "title": "Terms",
        "tags": "word",
        "boost": "20",
    }
    assert record["content"] == "Terms. All. a b c d Driver. Controls it. Wheel."
    split = SearchedPage("glossary/", "Terms", GLOSSARY, ("word",), 20, split=True)
    found = records([split], "en", tmp_path / "split")
    assert [(one["meta"]["address"], one["meta"]["title"]) for one in found] == [
        ("glossary/", "Terms"),
        ("glossary/#driver", "Driver"),
        ("glossary/#wheel", "Wheel"),
    ]
    assert ["tags" in one["meta"] for one in found] == [True, False, False]


def test_chinese_words_are_separate_and_names_are_one_word(tmp_path: Path) -> None:
    page = SearchedPage("zh/x/", "天数智芯", "<p>天数智芯支持安装</p>", ("天数智芯",))
    (record,) = records([page], "zh", tmp_path)
    assert record["content"].split()[-3:] == ["天数智芯", "支持", "安装"]


def test_a_text_is_no_markup(tmp_path: Path) -> None:
    page = SearchedPage('a/"b', "<b>&", "<p>x</p>", ('"><script>',))
    (record,) = records([page], "en", tmp_path)
    assert record["meta"] == {
        "address": 'a/"b',
        "title": "<b>&",
        "tags": '"><script>',
        "boost": "1",
    }


def test_what_pagefind_says_is_told_when_it_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ChildProcessError, match=r"Pagefind failed: .+"):
        write_search_index([SearchedPage("", "A", "")], "en", tmp_path / "file")
