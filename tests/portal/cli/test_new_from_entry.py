"""A folder from an entry of pytorch.org's file of additional platforms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.folders import read_tree
from tests.portal.cli.additional_platforms import FILE
from tests.portal.cli.test_new import flags, platform, refused, root, run

__all__ = ["root"]


def entry_file(root: Path, content: Mapping[str, object] = FILE) -> list[str]:
    place = root / "additional-platforms.json"
    place.write_text(json.dumps(content, indent=1), "utf-8")
    return ["--from-additional-platforms", str(place)]


ENTRY: tuple[str, ...] = ("name", "command", "torch", "os", "package", "support")


def test_an_entry_of_pytorch_org_answers_what_it_says(root: Path) -> None:
    rest = flags(**dict.fromkeys(ENTRY), **{"import": "torch_first"})
    result = run(root, "first-card", *entry_file(root), *rest)
    assert result.exit_code == 0, result.output
    made = platform(root, "first-card")
    assert (made.accelerator.name, made.accelerator.package.name) == ("First Card", "torch-first")
    assert made.accelerator.package.source == ("additional-platforms", "documentation")
    assert made.accelerator.support[0].url == "https://example.org/help"
    (option,) = made.install.options
    assert (option.os, option.arch) == (("linux",), ("x86_64", "aarch64"))
    assert option.source == ("additional-platforms", "documentation")
    (row,) = made.compatibility.rows
    assert (row.torch, row.plugin, row.python) == ("1.10.0", "1.10.0", ("3.12",))
    assert row.source == ("additional-platforms", "documentation")
    pip = [step.pip for step in option.steps if step.pip]
    assert option.compatibility
    assert [step.packages for step in pip] == [("torch=={torch}",), ("torch-first=={plugin}",)]
    texts = {section.title: section.text for section in made.guide.sections}
    assert texts["Prepare"].startswith("A **driver**.")
    assert made.accelerator.additional_platform is not None
    assert made.accelerator.additional_platform.id == "first_card"
    assert texts["Deploy"].startswith("This section is not written yet.")


def test_the_check_judges_the_guide_of_an_entry(root: Path) -> None:
    guide = "<h2>Installation</h2><p><a href='#x'>here</a></p>"
    file = entry_file(root, {**FILE, "html": {"first_card": guide}})
    rest = flags(**dict.fromkeys(ENTRY), **{"import": "torch_first"})
    result = run(root, "first-card", *file, *rest)
    assert result.exit_code == 1
    assert '/guide.md:23: the link to "#x" is not a web address' in result.stdout


@pytest.mark.parametrize(
    ("commands", "os", "hint"),
    [
        ({"stable": {"linux": "pip install a==1", "windows": "pip install a==1"}},
         ("linux", "windows"), None),
        ({"stable": {"linux": "pip install a==1", "windows": "pip install a==2"}},
         ("linux",), "stable, windows: pip install a==2"),
        ({"stable": {"linux": "rm -rf /", "windows": "pip install a==2"}},
         ("windows",), "stable, linux: rm -rf /"),
        ({"stable": {"linux": "pip install a==1"}, "preview": {"linux": "pip install --pre a"}},
         ("linux",), "preview, linux: pip install --pre a"),
    ],
)  # fmt: skip
def test_commands_beside_the_first_are_to_be_added(
    commands: dict[str, object], os: tuple[str, ...], hint: str | None, root: Path
) -> None:
    platforms = {"a": {**FILE["platforms"]["first_card"], **commands}}
    file = entry_file(root, {**FILE, "platforms": platforms, "html": {}})
    rest = flags(**dict.fromkeys(("name", "command", "os", "package", "support")))
    result = run(root, "a", *file, *rest)
    assert result.exit_code == 0, result.output
    (option,) = platform(root, "a").install.options
    assert option.os == os
    assert result.stdout.count("options: the command for") == (1 if hint else 0)
    assert f": options: the command for {hint or ''}" in result.stdout or not hint


def test_sections_of_the_guide_go_where_the_portal_has_them(root: Path) -> None:
    html = (
        "<h1>Title</h1><p>First a &lt;b&gt; <code>&lt;b&gt;</code>.</p>"
        "<h2>Verification</h2><pre><code># no heading  \n&lt;b&gt;</code></pre>"
        "<h3>Own</h3><p>More.</p><h2>Other</h2><p>Yet more.</p>"
    )
    file = entry_file(root, {**FILE, "html": {"first_card": html}})
    run(root, "first-card", *file, *flags(**dict.fromkeys(ENTRY)))
    sections = platform(root, "first-card").guide.sections
    end = "\n\nFrom pytorch.org [@additional-platforms]."
    assert sections[0].text.strip() == rf"First a \<b> `<b>`.{end}"
    start = "```\n# no heading\n<b>\n```\n\n### Own\n\nMore.\n\n### Other\n\nYet more."
    assert sections[2].text.strip() == f"{start}{end}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--entry", "third"],
            'has no entry "third"; use one of these with --entry: first_card, ex2',
        ),
        ([], 'has no entry "foo"; use one of these with --entry: first_card, ex2'),
    ],
)
def test_an_entry_that_is_not_there_is_named(arguments: list[str], words: str, root: Path) -> None:
    file = entry_file(root)
    before = read_tree(root)
    assert words in refused(root, before, run(root, "foo", *file, *arguments, *flags()))


def test_an_entry_has_a_folder_by_another_name(root: Path) -> None:
    rest = flags(**dict.fromkeys(ENTRY), **{"import": "torch_first"})
    result = run(root, "foo", *entry_file(root), "--entry", "first_card", *rest)
    assert result.exit_code == 0, result.output
    assert platform(root).accelerator.name == "First Card"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"schema_version": 2}, [':2: schema_version: "2" is not known; use 1']),
        ({"platforms": []}, ["platforms"]),
        ({"surprise": 1}, ['unknown key "surprise"']),
        ({"html": {"third": ""}}, ['"third" is in html but not in platforms']),
        ({"platforms": {"../up": FILE["platforms"]["ex2"]}}, ["../up"]),
        ({"platforms": {"a": {**FILE["platforms"]["ex2"], "stable": {}}}, "html": {}},
         ["there is no command for any operating system; add linux, windows or both"]),
        ({"platforms": {"a": {**FILE["platforms"]["ex2"], "stable": {"macos": "x"}}}, "html": {}},
         ['unknown key "macos"']),
        ({"platforms": {"a": {"name": "A"}}, "html": {}}, ["support_channel", "stable"]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)  # fmt: skip
def test_faults_of_the_file_are_named(
    change: dict[str, object], expected: list[str], root: Path
) -> None:
    arguments = entry_file(root, {**FILE, **change})
    before = read_tree(root)
    said = refused(root, before, run(root, "a", *arguments, *flags()))
    assert "additional-platforms.json:" in said
    for words in expected:
        assert words in said
