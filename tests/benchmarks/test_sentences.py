from __future__ import annotations

import ast
from pathlib import Path

import click

from benchmarks.sentences import add, blocks, draw, help_texts, literals, messages, site_sentences

PAGE = """<html><body><nav><p>Menus are not a part of the page.</p></nav><article>
<h1>Install PyTorch on your hardware</h1>
<ul><li><p>Select your hardware first. Copy the command.</p></li></ul>
<p><code>pip install torch torchvision</code></p><pre>pip install torch is not a sentence of a page</pre>
<table><tr><td>Linux with an x86-64 processor</td><td>It runs on Linux.</td></tr></table>
</article></body></html>"""


def test_sentences_of_a_text_keep_their_first_place() -> None:
    pool: dict[str, str] = {}
    add(pool, "a", "Add the file to the folder. See\n  torch 2.10.0 for the rest! Too short.")
    add(pool, "b", "Add the file to the folder.")
    assert pool == {"Add the file to the folder.": "a", "See torch 2.10.0 for the rest!": "a"}


def test_a_page_has_the_text_of_its_own_part_once(tmp_path: Path) -> None:
    assert [tag for tag, _ in blocks(PAGE)] == ["h1", "p", "td", "td"]
    for page in ("index.html", "results/a/tests/b/index.html"):
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text(PAGE)
    assert site_sentences(tmp_path) == dict.fromkeys(
        ["Install PyTorch on your hardware", "Select your hardware first.", "It runs on Linux."],
        "index.html",
    )


def test_the_help_of_every_command_is_read() -> None:
    below = click.Command("fetch", help="Fetch all reports now.")
    option = click.Option(["--out"], help="Write the file here.")
    group = click.Group("tool", {"fetch": below}, help="Manage all reports.", params=[option])
    assert list(help_texts(group, "tool")) == [
        ("tool", "Manage all reports."),
        ("tool --out", "Write the file here."),
        ("tool fetch", "Fetch all reports now."),
    ]


def test_messages_are_literals_with_their_placeholders_as_words(tmp_path: Path) -> None:
    code = '"""A docstring."""\nraise Error(f"{file.name} has {len(x):,} lines; remove " "some")\n'
    assert list(literals(ast.parse(code))) == [(2, "[file name] has [len x] lines; remove some")]
    (tmp_path / "a.py").write_text('PATTERN = r"^a b c d$"\nTEXT = "Remove the file first"\n')
    assert list(messages(tmp_path)) == [("a.py:2", "Remove the file first")]


def test_a_seed_gives_the_same_sample() -> None:
    pool = {f"Sentence {n} is here.": "a" for n in range(50)}
    mixed = dict(reversed(pool.items()))
    assert draw(pool, 1, 10) == draw(mixed, 1, 10) != draw(pool, 2, 10)
    assert len(draw(pool, 1, 99)) == len(pool)
