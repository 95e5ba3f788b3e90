"""What is read of PyTorch's own lists, and what is none of them."""

from __future__ import annotations

import pytest

from accelerator_portal.releases.upstream_commands import UpstreamSourceError, read_upstream
from tests.portal.releases.upstream import ARCHIVES, PREVIOUS_TEXT, PUBLISHED_TEXT


def combinations(text: str) -> list[str]:
    return [f"{c.release} {c.os} {c.method} {c.build}" for c in read_upstream(text)]


def test_published_versions() -> None:
    assert combinations(PUBLISHED_TEXT) == [
        "nightly linux pip ex9",
        "nightly linux libtorch ex9",
        "1.10.0 linux pip cpu",
        "1.10.0 linux pip pypi",
        "1.10.0 linux pip ex1",
        "1.10.0 windows libtorch cpu",
        "1.8.0 linux pip cpu",
        "1.8.0 linux pip pypi",
        "1.8.0 linux pip ex1",
    ]
    archives = [c.address for c in read_upstream(PUBLISHED_TEXT) if c.method == "libtorch"]
    nightly = f"{ARCHIVES}/nightly/ex9/libtorch-latest.zip"
    assert archives == [nightly, f"{ARCHIVES}/cpu/libtorch-win-a.zip"]


def test_a_command_of_several_lines_for_the_web() -> None:
    both = "For x86 use:<br />pip3 install torch<br /><br />For Arm:<br />pip3 install --pre torch"
    text = f'{{"versions": {{"1.9.1": {{"linux": {{"pip": {{"a": {{"command": "{both}"}}}}}}}}}}}}'
    assert combinations(text) == ["1.9.1 linux pip pypi"]


def test_previous_versions() -> None:
    assert combinations(PREVIOUS_TEXT) == [
        "1.10.0 macos pip pypi",
        "1.10.0 linux pip ex1",
        "1.10.0 linux pip ex2",
        "1.10.0 windows pip ex2",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{}",
        '{"versions": []}',
        '{"versions": {"1.9.1": 3}}',
        '{"versions": {"1.9.1": {"linux": {"pip": {"a": {"command": 3}}}}}}',
        '{"versions": ' + "[" * 100_000,
        "# A page\n\nwithout commands",
        PUBLISHED_TEXT[: len(PUBLISHED_TEXT) // 2],
    ],
)
def test_what_is_no_such_list(text: str) -> None:
    with pytest.raises(UpstreamSourceError, match=r"published_versions\.json"):
        read_upstream(text)
