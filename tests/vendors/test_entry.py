from __future__ import annotations

import datetime as dt

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.install.additional_platforms import AdditionalPlatforms
from accelerator_portal.vendors.entry import entry_draft

INDEX = "https://download.pytorch.org/whl"


@pytest.mark.parametrize("variant", ["xpu", "cpu", "cu999"])
def test_a_command_without_a_version_is_about_the_newest_that_its_index_has(
    variant: str, catalog: Catalog
) -> None:
    """Where no release is known to have such wheels, the newest of all."""
    commands = {"linux": f"pip install torch --index-url {INDEX}/{variant}"}
    entry = {"name": "A", "support_channel": "https://example.org/", "stable": commands}
    data = AdditionalPlatforms.model_validate({"schema_version": 1, "platforms": {"a": entry}})
    draft = entry_draft(data, "a", catalog.releases, dt.date(2026, 1, 2))
    (option,) = draft.install["options"]
    having = [
        release.version
        for release in catalog.releases.releases  # the newest first
        if variant in {wheel.variant for wheel in release.wheels}
    ]
    newest = catalog.releases.newest.version
    assert option["torch"] == [having[0] if having else newest]
    assert (option["torch"] != [newest]) == (variant == "xpu")
