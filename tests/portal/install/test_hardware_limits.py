"""What a driver and a card can run."""

from __future__ import annotations

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install import Selector
from accelerator_portal.install.hardware_support import (
    card_name,
    driver_bounds,
    row_ranges,
    runs_on_generation,
)
from accelerator_portal.install.resolution import resolve
from accelerator_portal.site.pages.hardware import cards_by_id
from tests.folders import INSTALL, Tree, edited, loaded

LINUX = {"os": "linux", "arch": "x86_64", "platform": "cuda"}


def test_each_variant_of_cuda_has_the_driver_that_its_folder_states(catalog: Catalog) -> None:
    bounds = driver_bounds(catalog.by_id["cuda"])
    assert bounds
    assert bounds.name == "NVIDIA driver"
    assert bounds.oldest["cu132"] == {"linux": "580", "windows": "580", "macos": "580"}
    assert bounds.oldest["cu118"] == {"linux": "450.80.02", "windows": "452.39"}


def test_a_platform_without_stated_versions_has_no_bounds(catalog: Catalog) -> None:
    assert driver_bounds(catalog.by_id["rocm"]) is None


@pytest.mark.parametrize("version", ["<9, >=5.08", "==5.08.*"])
def test_the_bound_of_a_range_is_its_lower_end(tree: Tree, version: str) -> None:
    files = edited((INSTALL, 'version: ">=5"', f'version: "{version}"'))
    bounds = driver_bounds(loaded(tree(files)).by_id["example"])
    assert bounds
    assert bounds.oldest == {"ex1": {"linux": "5.08"}}


def test_driver_535_gets_the_newest_build_that_it_can_run(
    catalog: Catalog, selector: Selector
) -> None:
    bounds = driver_bounds(catalog.by_id["cuda"])
    assert bounds
    found = resolve(selector, LINUX, lambda row: bounds.admits(row, "535")).row
    assert found
    assert (found.build, found.variant) == ("2.14.1", "cu126")
    assert bounds.admits(found, "525")
    assert not bounds.admits(found, "524.99")


def test_the_ranges_of_a_card_hold_exactly_the_rows_that_run_on_it(
    catalog: Catalog, selector: Selector
) -> None:
    for platform in catalog.platforms:
        for generation in cards_by_id(platform).values():
            ranges = row_ranges(catalog, selector.numbered_rows.get(platform.id, []), generation)
            places = [
                place
                for start, end in zip(ranges[::2], ranges[1::2], strict=True)
                for place in range(start, end)
            ]
            assert places == [
                place
                for place, row in enumerate(selector.rows)
                if row.platform == platform.id and runs_on_generation(catalog, generation, row)
            ]


def test_a_v100_gets_cuda_12_6(catalog: Catalog, selector: Selector) -> None:
    cuda = catalog.by_id["cuda"]
    cards = cards_by_id(cuda)
    volta = cards["volta-7-0"]
    assert card_name(cuda, volta) == "Volta (Compute capability 7.0)"
    found = resolve(selector, LINUX, lambda row: runs_on_generation(catalog, volta, row)).row
    assert found
    assert found.variant == "cu126"
