"""What is written for pytorch.org is valid by the rules of its own script, and can be read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.install.additional_platforms import (
    additional_platform_id,
    read_additional_platforms,
)
from accelerator_portal.vendors.prefill import prefill_from_entry
from tests.built_site import Site
from tests.day import TODAY

FILE = "additional-platforms.json"


@pytest.fixture(scope="module")
def written(site: Site) -> Any:  # noqa: ANN401 - any JSON
    return json.loads((site.root / "api/v1" / FILE).read_text("utf-8"))


def test_it_keeps_the_rules_of_the_upstream_script(written: Any) -> None:  # noqa: ANN401
    """Keys, systems and texts, as gen_additional_platforms.py checks them."""
    assert written["schema_version"] == 1
    assert written["platforms"]
    for platform in written["platforms"].values():
        assert {"name", "support_channel", "stable"} <= set(platform)
        assert set(platform) <= {"name", "support_channel", "stable", "preview"}
        for channel in ("stable", "preview"):
            commands = platform.get(channel, {"linux": "x"})
            assert commands
            assert set(commands) <= {"linux", "windows"}
            assert all(isinstance(command, str) and command for command in commands.values())
    assert set(written["html"]) == set(written["platforms"])


def test_it_holds_what_the_selector_of_pytorch_org_does_not(written: Any, site: Site) -> None:  # noqa: ANN401
    assert not {"cpu", "cuda", "mps", "rocm"} & set(written["platforms"])
    assert {"xpu", "tpu_xla"} <= set(written["platforms"])
    assert set(written["platforms"]) <= {*map(additional_platform_id, site.catalog.platforms)}


def test_ids_are_those_of_pytorch_org(written: Any) -> None:  # noqa: ANN401
    """Source: `_additional_platforms/` in pytorch/pytorch.github.io, read 2026-11-23.

    `ascend_npu.json` at commit c7886f1, `torch_tpu.json` at 27c88f7 and `xpu.json` at 4fbc9b4.
    """
    assert not {"ascend", "tpu"} & set(written["platforms"])
    assert {"ascend_npu", "torch_tpu", "xpu"} <= set(written["platforms"])
    assert 'id="ascend_npu-install"' in written["html"]["ascend_npu"]


def test_the_commands_are_those_of_the_selector(written: Any, site: Site) -> None:  # noqa: ANN401
    platform_ids = {additional_platform_id(p): p.id for p in site.catalog.platforms}
    for name, platform in written["platforms"].items():
        platform_id = platform_ids[name]
        rows = [row for row in site.selector.rows if row.platform == platform_id]
        known = {(row.os, " && ".join(row.commands)) for row in rows}
        assert {*platform["stable"].items()} <= known, name


def test_each_guide_begins_with_the_name_of_its_platform(written: Any) -> None:  # noqa: ANN401
    for name, platform in written["platforms"].items():
        first = LexborHTMLParser(written["html"][name]).css_first("h1")
        assert first is not None
        assert first.text() == f"Installing on {platform['name']}"


def test_no_id_stands_in_two_guides(written: Any) -> None:  # noqa: ANN401
    """On pytorch.org all guides share one page."""
    ids = [
        node.attributes["id"]
        for html in written["html"].values()
        for node in LexborHTMLParser(html).css("[id]")
    ]
    assert len(ids) == len(set(ids)) > 50


def test_it_is_read_back(written: Any, site: Site) -> None:  # noqa: ANN401
    data, problems = read_additional_platforms(site.root / "api/v1", FILE)
    assert data is not None, problems
    assert data.model_dump(mode="json", exclude_none=True) == written
    prefills = [prefill_from_entry(data, name, TODAY) for name in data.platforms]
    assert sum(bool(*prefill.texts["command"]) for prefill in prefills) >= 4
    assert all(prefill.values["guide"] for prefill in prefills)
