from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.additional_platforms import AdditionalPlatforms
from accelerator_portal.vendors.draft import Draft
from accelerator_portal.vendors.draft_from_entry import ENTRY_SOURCE, draft_from_entry, folder_name

WHEELS = "https://download.pytorch.org/whl"
INDEX = f"--index-url {WHEELS}"
READ = dt.date(2026, 1, 2)


def draft_of(
    catalog: Catalog, *, html: str = "", made: str | None = None, **commands: dict[str, str]
) -> Draft:
    """What an entry with these commands becomes."""
    entry: dict[str, Any] = {
        "name": "A",
        "support_channel": "https://example.org/help",
        "stable": {"linux": f"pip install torch {INDEX}/cpu"},
        **commands,
    }
    file = {"schema_version": 1, "generated_at": made, "platforms": {"a": entry}}
    data = AdditionalPlatforms.model_validate({**file, "html": {"a": html} if html else {}})
    return draft_from_entry(data, "a", catalog.releases, READ)


def options(draft: Draft) -> list[dict[str, Any]]:
    """The install options, without what all of them have."""
    always = {"methods": ["pip", "uv"], "source": ENTRY_SOURCE}
    assert all(always.items() <= option.items() for option in draft.install["options"])
    return [
        {key: value for key, value in option.items() if key not in {*always, "steps"}}
        for option in draft.install["options"]
    ]


@pytest.mark.parametrize("variant", ["xpu", "cpu", "cu999"])
def test_a_command_without_a_version_is_about_the_newest_that_its_index_has(
    variant: str, frozen: Catalog
) -> None:
    """Where no release is known to have such wheels, the newest of all."""
    draft = draft_of(frozen, stable={"linux": f"pip install torch {INDEX}/{variant}"})
    (option,) = options(draft)
    having = [
        release.version
        for release in frozen.releases.releases  # the newest first
        if variant in {wheel.variant for wheel in release.wheels}
    ]
    newest = frozen.releases.newest.version
    assert option["torch"] == [having[0] if having else newest]
    assert (option["torch"] != [newest]) == (variant == "xpu")


def test_only_what_the_entry_calls_a_preview_is_one(catalog: Catalog) -> None:
    """A nightly build names no release: what the index has is what it is."""
    command = f"pip install torch {INDEX}/cpu"
    nightly = f"pip install --pre torch {INDEX}/nightly/cpu"
    draft = draft_of(catalog, stable={"linux": command}, preview={"linux": nightly})
    newest = catalog.releases.newest.version
    assert options(draft) == [
        {"id": "stable-linux", "os": ["linux"], "wheels": "cpu", "torch": [newest]},
        {"id": "preview-linux", "channel": "preview", "os": ["linux"], "wheels": "cpu"},
    ]
    steps = [option["steps"] for option in draft.install["options"]]
    assert steps == [
        [{"pip": {"packages": ["torch"], "index": f"{WHEELS}/cpu"}}],
        [{"pip": {"packages": ["torch"], "index": f"{WHEELS}/nightly/cpu", "pre": True}}],
    ]


def test_a_preview_from_another_index_is_about_the_newest_release(catalog: Catalog) -> None:
    command = "pip install --pre torch --index-url https://example.org/nightly"
    _, preview = options(draft_of(catalog, preview={"windows": command}))
    newest = catalog.releases.newest.version
    expected = {"id": "preview-windows", "channel": "preview", "os": ["windows"]}
    assert preview == {**expected, "torch": [newest]}


def test_systems_with_one_command_share_an_option(catalog: Catalog) -> None:
    one, other = (f"pip install torch=={version}" for version in ("2.10.0", "2.9.1"))
    same = options(draft_of(catalog, stable={"linux": one, "windows": one}))
    assert same == [{"id": "stable-linux-windows", "os": ["linux", "windows"], "torch": ["2.10.0"]}]
    assert options(draft_of(catalog, stable={"linux": one, "windows": other})) == [
        {"id": "stable-linux", "os": ["linux"], "torch": ["2.10.0"]},
        {"id": "stable-windows", "os": ["windows"], "torch": ["2.9.1"]},
    ]


@pytest.mark.parametrize(
    ("command", "versions"),
    [
        ("torch==2.10.0 torch-a==1.2", ("2.10.0", "1.2")),
        ("torch===2.10.0 torch_a===1.2", ("2.10.0", "1.2")),
        ("torch==2.10.0 helper==7 torch-a==1.2", ("2.10.0", "1.2")),
        ("torch==2.10.0 torch-a==1.*", None),
        ("torch==2.10.0 torch-a>=1.2", None),
        ("torch==2.10.0 helper==1.2", None),
        ("torch torch-a==1.2", None),
    ],
)
def test_versions_that_a_command_pins_together_are_a_row(
    command: str, versions: tuple[str, str] | None, catalog: Catalog
) -> None:
    draft = draft_of(catalog, stable={"linux": f"pip install {command}"})
    found = [(row["torch"], row["plugin"]) for row in draft.rows]
    assert found == ([versions] if versions else [])


@pytest.mark.parametrize(
    ("made", "as_of"),
    [
        ("2026-01-01T03:04:05+00:00", dt.date(2026, 1, 1)),
        ("2026-01-02T03:04:05+00:00", READ),
        ("2026-01-03T03:04:05+00:00", None),  # after it was read: one of the two is wrong
        ("yesterday", None),
        ("2026-02-30T03:04:05+00:00", None),
        (None, None),
    ],
)
def test_the_source_says_of_which_day_the_file_is(
    made: str | None, as_of: dt.date | None, catalog: Catalog
) -> None:
    (source,) = draft_of(catalog, made=made).sources.values()
    assert (source["read"], source.get("as_of")) == (READ, as_of)


def test_sections_of_the_guide_go_where_the_portal_has_them(catalog: Catalog) -> None:
    draft = draft_of(
        catalog,
        html="<h1>Title</h1><p>First a &lt;b&gt; <code>&lt;b&gt;</code>.</p>"
        "<h2>Verification</h2><pre><code># no heading  \n&lt;b&gt;</code></pre>"
        "<h3>Own</h3><p>More.</p><h2>Other</h2><p>Yet more.</p>",
    )
    end = f"\n\nFrom pytorch.org [@{ENTRY_SOURCE}]."
    assert draft.guide == {
        "Prepare": rf"First a \<b> `<b>`.{end}",
        "Start": f"```\n# no heading\n<b>\n```\n\n### Own\n\nMore.\n\n### Other\n\nYet more.{end}",
    }


def test_a_folder_has_hyphens() -> None:
    assert folder_name("first_big_card") == "first-big-card"
