from __future__ import annotations

import pytest

from accelerator_validation import probe
from accelerator_validation.probe import unknown_device_text

UNREGISTERED = "privateuseone"


def test_a_plugin_that_is_installed_is_to_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "find_spec", lambda name: name == "torch_npu")
    assert unknown_device_text("npu", UNREGISTERED) == (
        'The plugin torch_npu adds the device "npu". Add --import torch_npu'
    )
    assert "is not installed for" in (unknown_device_text("hpu", UNREGISTERED) or "")


def test_a_plugin_that_is_missing_is_to_be_installed() -> None:
    text = unknown_device_text("hpu", UNREGISTERED) or ""
    assert text.startswith('The plugin habana_frameworks.torch adds the device "hpu", but is not')
    assert "add --import habana_frameworks.torch if torch does not load it" in text


@pytest.mark.parametrize(
    ("device", "registered", "words"),
    [("npuu", UNREGISTERED, 'did you mean "npu"?'), ("zork0", "zork", 'did you mean "zork"?')],
)
def test_a_device_that_nobody_adds_may_be_misspelled(
    device: str, registered: str, words: str
) -> None:
    assert words in (unknown_device_text(device, registered) or "")


def test_torch_itself_says_why_a_device_of_its_own_does_not_work() -> None:
    assert unknown_device_text("cuda", UNREGISTERED) is None
