from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from accelerator_portal.catalog import load_catalog
from accelerator_portal.cli import main
from tests.folders import ACCELERATOR, EXAMPLE, Tree, read_tree

# Example data in the format of pytorch.org's file; neither platform exists.
FILE: dict[str, Any] = {
    "schema_version": 1,
    "generated_at": "2026-01-02T03:04:05+00:00",
    "generator_commit": "0000000",
    "platforms": {
        "first_card": {
            "name": "First Card",
            "support_channel": "https://example.org/help",
            "stable": {
                "linux": "pip3 install torch==1.10.0 --index-url https://download.pytorch.org/whl/cpu"
                " && pip3 install torch-first==1.10.0"
            },
        },
        "ex2": {
            "name": "Second",
            "support_channel": "https://example.org/second",
            "stable": {
                "linux": "pip3 install torch --index-url https://download.pytorch.org/whl/ex2",
                "windows": "pip3 install torch --index-url https://download.pytorch.org/whl/ex2",
            },
            "preview": {
                "linux": "pip3 install --pre torch --index-url https://download.pytorch.org/whl/nightly/ex2"
            },
        },
    },
    "html": {
        "first_card": "<h1>Installing</h1><h2>Prerequisites</h2><p>A <b>driver</b>.</p>"
        "<h2>Installation</h2><h3>pip</h3><pre><code>pip install x\n\ny</code></pre>"
        "<h2>Verification</h2><ul><li>Run <a href='https://example.org/run'>it</a></li></ul>"
        "<h2>More</h2><p>Words &lt;b&gt;.</p><script>alert(1)</script>"
    },
}


def run(root: Path, file: Path) -> Result:
    return CliRunner().invoke(main, ["import-platforms", str(file), "--root", str(root)])


def imported(tree: Tree, data: object) -> tuple[Path, Result]:
    root = tree(EXAMPLE)
    file = root / "additional-platforms.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data, indent=1), "utf-8")
    return root, run(root, file)


def test_each_entry_becomes_a_folder_and_what_is_missing_is_listed(tree: Tree) -> None:
    _, done = imported(tree, FILE)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[:2] == ["Wrote accelerators/first-card", "Wrote accelerators/ex2"]
    assert 'accelerators/first-card/accelerator.yaml:2: "vendor" is missing; add vendor' in lines
    assert not [line for line in lines if "guide.md" in line or "faq.md" in line]


def test_what_the_vendor_fills_in_makes_the_folder_whole(tree: Tree) -> None:
    root, _ = imported(tree, FILE)
    folder = root / "accelerators/first-card"
    facts = (
        "vendor: V\nmark: FC\nsummary: A card.\ndescription: A card.\n"
        "integration: {value: out-of-tree, source: additional-platforms}\n"
        "dispatch_key: {value: PrivateUse1, source: additional-platforms}\n"
        "device: {value: first, source: additional-platforms}\n"
        "package: {name: torch-first, import: torch_first, source: additional-platforms}\n"
    )
    accelerator = folder / "accelerator.yaml"
    accelerator.write_text(accelerator.read_text("utf-8") + facts, "utf-8")
    install = folder / "install.yaml"
    install.write_text(
        install.read_text("utf-8").replace("    os:", "    arch: [x86_64]\n    os:"), "utf-8"
    )
    catalog, _ = load_catalog(root)
    assert catalog is not None
    platform = catalog.by_id["first-card"]
    (row,) = platform.compatibility.rows
    assert (row.torch, row.plugin) == ("1.10.0", "1.10.0")
    assert platform.accelerator.sources["additional-platforms"].as_of is not None
    texts = {section.title: section.text for section in platform.guide.sections}
    assert list(texts) == ["Prepare", "Install", "Start", "Deploy", "Help"]
    assert texts["Prepare"].startswith("A **driver**.")
    assert "### pip" in texts["Install"]
    assert "pip install x\n\ny" in texts["Install"]
    assert "[it](https://example.org/run)" in texts["Start"]
    assert "### More" in texts["Start"]
    assert texts["Deploy"] == "Not described in the source [@additional-platforms]."


def test_a_folder_that_exists_is_left_as_it_is(tree: Tree) -> None:
    root, _ = imported(tree, FILE)
    before = read_tree(root)
    done = run(root, root / "additional-platforms.json")
    assert done.output.splitlines() == [
        "accelerators/first-card exists; not changed",
        "accelerators/ex2 exists; not changed",
    ]
    assert read_tree(root) == before


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
        ({"platforms": {"a": {**FILE["platforms"]["ex2"], "stable": {"linux": "rm -rf /"}}},
          "html": {}},
         ['platforms.a: "rm -rf /" is not a pip install command']),
        ({"platforms": {"a": {"name": "A"}}, "html": {}}, ["support_channel", "stable"]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)  # fmt: skip
def test_faults_are_named_and_nothing_is_written(
    change: dict[str, object], expected: list[str], tree: Tree
) -> None:
    root, done = imported(tree, {**FILE, **change})
    assert done.exit_code == 1
    assert "additional-platforms.json:" in done.output
    for words in expected:
        assert words in done.output
    assert {path for path in read_tree(root) if path.startswith("accelerators/")} == {
        path for path in EXAMPLE if path.startswith("accelerators/")
    }
    assert "Traceback" not in done.output


def test_an_entry_is_that_of_the_folder_that_states_its_id(tree: Tree) -> None:
    entry = "additional_platform: {id: first_card, source: made-up}\n"
    root = tree({**EXAMPLE, ACCELERATOR: EXAMPLE[ACCELERATOR] + entry})
    file = root / "additional-platforms.json"
    file.write_text(json.dumps(FILE), "utf-8")
    lines = run(root, file).output.splitlines()
    assert lines[:2] == ["accelerators/example exists; not changed", "Wrote accelerators/ex2"]
    assert not (root / "accelerators/first-card").exists()


def test_a_new_folder_states_the_id_of_its_entry(tree: Tree) -> None:
    root, _ = imported(tree, FILE)
    text = (root / "accelerators/first-card/accelerator.yaml").read_text("utf-8")
    entry = {"id": "first_card", "source": "additional-platforms"}
    assert yaml.safe_load(text)["additional_platform"] == entry
