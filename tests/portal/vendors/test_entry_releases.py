"""Example data: neither the packages nor the indexes exist."""

from __future__ import annotations

from dataclasses import replace

from accelerator_portal.catalog import Catalog
from accelerator_portal.vendors.draft import Draft
from accelerator_portal.vendors.draft_from_entry import following_option
from tests.portal.vendors.test_draft_from_entry import INDEX, draft_of, options

OWN = "--index-url https://example.org/simple"


def followed(catalog: Catalog, **commands: dict[str, str]) -> Draft:
    draft = draft_of(catalog, html="", made=None, **commands)
    new_options = [following_option(option, draft.rows) for option in draft.install["options"]]
    return replace(draft, install={"options": new_options})


def packages(draft: Draft) -> list[list[str]]:
    steps = (option["steps"] for option in draft.install["options"])
    return [[name for step in of_one for name in step["pip"]["packages"]] for of_one in steps]


def test_versions_that_are_pinned_together_follow_the_rows(catalog: Catalog) -> None:
    draft = followed(catalog, stable={"linux": f"pip install torch==2.9.0 torch-a==2.9.1 {OWN}"})
    assert options(draft) == [{"id": "stable-linux", "compatibility": True, "os": ["linux"]}]
    assert packages(draft) == [["torch=={torch}", "torch-a=={plugin}"]]
    assert [(row["torch"], row["plugin"]) for row in draft.rows] == [("2.9.0", "2.9.1")]


def test_wheels_of_pytorch_follow_its_releases(frozen: Catalog) -> None:
    """From the release on that the index had when the entry was read; a preview has no release."""
    draft = followed(
        frozen,
        stable={"linux": f"pip install torch {INDEX}/xpu"},
        preview={"linux": f"pip install --pre torch {INDEX}/nightly/xpu"},
    )
    stable, preview = options(draft)
    assert (stable["wheels"], stable["torch"]) == ("xpu", ">=2.14.1")
    assert (preview["wheels"], preview.get("torch")) == ("xpu", None)
    assert packages(draft) == [["torch=={torch}"], ["torch"]]
    assert draft.rows == []


def test_a_preview_from_another_index_names_no_single_release(frozen: Catalog) -> None:
    draft = followed(frozen, preview={"linux": f"pip install --pre torch {OWN}"})
    assert [option["torch"] for option in options(draft)] == [">=2.15.0", ">=2.15.0"]


def test_an_option_that_pins_other_versions_than_the_rows_stays(catalog: Catalog) -> None:
    """Rows name no operating system: a row for Windows alone would be a claim about Linux."""
    first, other = (f"pip install torch==2.9.{n} torch-a==1.{n}" for n in (0, 1))
    draft = followed(catalog, stable={"linux": first, "windows": other})
    assert [option.get("torch") for option in options(draft)] == [None, ["2.9.1"]]
    assert packages(draft) == [
        ["torch=={torch}", "torch-a=={plugin}"],
        ["torch==2.9.1", "torch-a==1.1"],
    ]


def test_a_plugin_that_is_pinned_beside_no_torch_stays(catalog: Catalog) -> None:
    draft = followed(catalog, stable={"linux": "pip install torch torch-a==1.2"})
    newest = catalog.releases.newest.version
    assert [option["torch"] for option in options(draft)] == [[newest]]
    assert packages(draft) == [["torch", "torch-a==1.2"]]
    assert draft.rows == []


def test_the_package_that_a_vendor_names_is_the_plugin(catalog: Catalog) -> None:
    """It may have any name; the rows of the answers say its version."""
    (option,) = draft_of(
        catalog, stable={"linux": f"pip install torch==2.9.0 foo==3 {OWN}"}
    ).install["options"]
    rows = [{"torch": "2.9.0", "plugin": "3"}]
    steps = following_option(option, rows, "foo")["steps"]
    assert steps[0]["pip"]["packages"] == ["torch=={torch}", "foo=={plugin}"]
