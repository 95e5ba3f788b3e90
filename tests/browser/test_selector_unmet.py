"""What the selector says and offers if a wish cannot be met."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Route

from tests.browser.visit import LOADED_AHEAD, OpenPage, expect, status


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "?platform=cuda&build=2.15.0&os=windows",
            "CUDA 2.15.0 is not verified for Windows x86-64. Newest verified: 2.14.1.",
        ),
        (
            "?platform=cuda&os=windows&method=docker",
            "Docker is not available for CUDA on Windows x86-64. Showing pip. Containers for CUDA",
        ),
        (
            "?platform=cuda&os=linux&build=2.4.1&method=docker",
            "This site has no PyTorch 2.4.1 command for Docker. Showing PyTorch 2.14.1. Change to PyTorch 2.4.1",
        ),
        (
            "?platform=cuda&os=linux&build=preview&variant=cu126",
            (
                "This site has no PyTorch nightly command for CUDA 12.6. Showing PyTorch 2.14.1. "
                "Change to PyTorch nightly"
            ),
        ),
        (
            "?platform=cuda&os=linux&variant=cu132&driver=535",
            (
                "This site has no CUDA 13.2 command for your GPU driver. Showing CUDA 12.6. "
                "Your GPU driver does not fit PyTorch 2.15.0. "
                "The newest build that fits is PyTorch 2.14.1, CUDA 12.6."
            ),
        ),
        (
            "?platform=cuda&os=linux&card=ampere-8-6&driver=535",
            (
                "Your GPU driver does not fit PyTorch 2.15.0, CUDA 13.2. "
                "The newest build that fits is PyTorch 2.14.1, CUDA 12.6."
            ),
        ),
        (
            "?platform=rocm&os=linux&method=docker",
            (
                "This site has no Docker command for PyTorch 2.14.1, ROCm 7.14. "
                "Showing PyTorch 2.9.1, ROCm 7.2. Back to pip"
            ),
        ),
        (
            "?platform=cuda&os=linux&variant=cu134",
            (
                "This site has no CUDA 13.4 command for PyTorch 2.15.0. "
                "Showing PyTorch nightly. Back to CUDA 13.2"
            ),
        ),
        (
            "?platform=cuda&os=linux&build=preview",
            (
                "PyTorch nightly comes with CUDA 13.4 unless you select CUDA 13.2. "
                "Back to PyTorch 2.15.0"
            ),
        ),
        (
            "?platform=cuda&os=linux&build=2.4.1&method=conda",
            (
                "This site has no PyTorch 2.4.1 command for conda. "
                "Showing PyTorch, version not pinned. Change to PyTorch 2.4.1"
            ),
        ),
        (
            "?platform=cuda&os=linux&build=2.4.1&variant=cu121",
            (
                "This site has no CUDA 12.1 command for Python 3.13. "
                "Showing Python 3.12. Back to CUDA 12.4"
            ),
        ),
        (
            "?platform=cuda&os=linux&driver=390",
            "Your GPU driver fits no verified build of CUDA on Linux x86-64 since PyTorch 2.4.0.",
        ),
        (
            "?platform=cuda&os=linux&variant=cu130&card=pascal-6-1",
            (
                "This site has no CUDA 13.0 command for your card. Showing CUDA 12.6. "
                "Your card does not fit PyTorch 2.15.0. "
                "The newest build that fits is PyTorch 2.14.1, CUDA 12.6."
            ),
        ),
        (
            "?platform=tpu-xla&os=linux&python=3.12&build=2.5.0",
            (
                "This site has no PyTorch 2.5.0 command for pip. Showing Docker. "
                "The container has its own Python and does not use Python 3.12. "
                "Back to PyTorch 2.9.0"
            ),
        ),
        (
            "?platform=musa&os=linux&card=third-generation-quyuan-mp-22",
            "No source confirms PyTorch 2.11.0 on your card. Showing PyTorch 2.9.1.",
        ),
        (
            "?platform=ascend&os=linux&build=2.7.0",
            (
                "This site has no command for Ascend NPU 2.7.0 on Linux x86-64. "
                "The nearest release is 2.7.1. "
                "Change to PyTorch 2.7.1 All versions of Ascend NPU"
            ),
        ),
        (
            "?platform=mps&os=macos&arch=x86_64",
            (
                "PyTorch 2.2.2 is the last release with wheels for macOS x86-64. The commands below "
                "install it. Newer releases are available for: macOS ARM64"
            ),
        ),
        (
            "?platform=mps&os=macos&arch=x86_64&card=intel-macs-with-amd-graphics",
            (
                "PyTorch 2.2.2 is the last release with wheels for macOS x86-64. The commands below "
                "install it."
            ),
        ),
        (
            "?platform=gaudi&os=macos&arch=x86_64",
            (
                "PyTorch 2.2.2 is the last release with wheels for macOS x86-64. The commands below "
                "install its CPU build. Gaudi is available for: Linux x86-64"
            ),
        ),
        (
            "?platform=cpu&os=macos&arch=x86_64",
            (
                "PyTorch 2.2.2 is the last release with wheels for macOS x86-64. The commands below "
                "install it. Newer releases are available for: "
                "Linux x86-64Linux ARM64Windows x86-64Linux RISC-VmacOS ARM64Windows ARM64"
            ),
        ),
    ],
)
def test_what_could_not_be_had_is_said(open_page: OpenPage, address: str, said: str) -> None:
    assert status(open_page(address)).strip() == said


def test_a_choice_that_changed_others_can_be_taken_back(open_page: OpenPage) -> None:
    page = open_page("?platform=rocm&os=linux")
    summary = page.locator("[data-part=summary]")
    expect(summary).to_contain_text("PyTorch 2.14.1")
    page.locator("label:has(input[name=method][value=docker])").click()
    expect(summary).to_contain_text("PyTorch 2.9.1")
    chip = page.locator("label:has(input[name=platform][value=rocm]) .choice-detail")
    expect(chip).to_have_text("2.9.1")
    page.get_by_role("button", name="Back to pip").click()
    expect(summary).to_contain_text("PyTorch 2.14.1")
    expect(page.locator("[data-part=status] button")).to_have_count(0)


def test_the_nearest_release_can_be_taken(open_page: OpenPage) -> None:
    page = open_page("?platform=ascend&os=linux&build=2.7.0")
    page.get_by_role("button", name="Change to PyTorch 2.7.1").click()
    expect(page.locator("[data-part=summary]")).to_contain_text("PyTorch 2.7.1")


def test_a_command_without_a_version_claims_none(open_page: OpenPage) -> None:
    page = open_page("?platform=cpu&os=linux&method=conda")
    expect(page.locator("[data-part=summary]")).to_contain_text("version not pinned")
    expect(page.locator("input[name=build]:checked")).to_have_count(0)


def test_an_impossible_format_stays_and_says_why(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&os=windows&arch=x86_64")
    label = page.locator("label:has(input[name=method][value=docker])")
    expect(label).to_be_visible()
    expect(label.locator(".choice-reason")).to_have_text("Linux only")
    page = open_page("?platform=xpu&os=windows&arch=x86_64&method=conda")
    label = page.locator("label:has(input[name=method][value=conda])")
    expect(label.locator(".choice-reason")).to_have_text("not for XPU")
    expect(page.locator("[data-part=status]")).to_contain_text("Showing pip.")
    way = page.locator("[data-part=status]").get_by_role("link", name="conda environment")
    way.click()
    answer = page.locator(f"[id='{urlsplit(page.url).fragment}']")
    expect(answer).to_contain_text("in a new conda environment")


def test_unmet_wishes_of_one_cause_are_said_once(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&os=linux&build=2.7.0&variant=cu126&method=conda")
    expect(page.locator("[data-part=status]")).to_contain_text(
        "This site has no PyTorch 2.7.0 and CUDA 12.6 command for conda. "
        "Showing PyTorch, version not pinned. Change to"
    )


def test_an_intel_mac_gets_the_commands_of_its_last_release(open_page: OpenPage) -> None:
    page = open_page("?platform=cpu&os=macos")
    intel = page.locator("label:has(input[name=arch][value=x86_64])")
    expect(intel).to_contain_text("2.2.2 only")
    expect(intel.locator(".choice-reason")).to_have_text("")
    intel.evaluate("label => label.click()")
    expect(intel).to_contain_text("2.2.2 only")
    expect(page.locator("[data-part=commands]")).to_contain_text("torch==2.2.2")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()


def test_a_platform_without_the_chosen_format_says_so(open_page: OpenPage) -> None:
    page = open_page("?os=linux&arch=x86_64&method=docker")
    tile = page.locator("label:has(input[name=platform][value=xpu])")
    expect(tile.locator(".choice-reason")).to_have_text("no Docker command")
    expect(tile.locator(".choice-detail")).to_have_text("")
    page.locator("label:has(input[name=method][value=pip])").click()
    expect(tile.locator(".choice-detail")).to_have_text("2.14.1")


def test_platforms_of_the_fold_are_fetched_when_it_opens(open_page: OpenPage) -> None:
    fetched: list[str] = []
    page = open_page("404.html")
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(page.url.removesuffix("404.html") + "?os=linux&arch=x86_64&build=2.9.0")
    expect(page.locator("form[data-loaded-ahead]")).to_be_attached(timeout=LOADED_AHEAD)
    assert not [url for url in fetched if url.endswith(("install/gaudi.json", "install/mps.json"))]
    chip = page.locator("label:has(input[name=platform][value=gaudi]) .choice-detail")
    with page.expect_response("**/install/gaudi.json"):
        page.locator(".axis-platform .more-choices > summary").click()
    expect(chip).to_have_text("2.9.0")


def test_a_platform_for_another_machine_keeps_the_machine_and_offers_to_switch(
    open_page: OpenPage,
) -> None:
    page = open_page("?platform=mps&os=linux&arch=x86_64")
    assert status(page).startswith("MPS is not available for Linux x86-64. It is available for:")
    expect(page.locator("[data-part=box]")).to_be_hidden()
    assert page.locator("input[name=os]:checked").get_attribute("value") == "linux"
    page.get_by_role("button", name="macOS ARM64").click()
    expect(page.locator("[data-part=commands]")).to_contain_text("pip install torch")
    assert page.locator("input[name=os]:checked").get_attribute("value") == "macos"


def test_a_wish_that_cannot_be_met_is_dropped_by_clicking_what_is_shown(
    open_page: OpenPage,
) -> None:
    page = open_page("?platform=cuda&os=windows&method=docker")
    page.locator("input[name=method][value=pip]").evaluate("input => input.click()")
    assert "method" not in dict(parse_qsl(urlsplit(page.url).query))
    assert status(page).startswith("Commands for CUDA")


def test_a_command_that_is_known_to_fail_has_no_plain_copy(open_page: OpenPage) -> None:
    page = open_page("?platform=tpu-xla&os=linux&arch=x86_64")
    copy = page.locator("[data-copy=script]")
    expect(copy).to_have_text("Copy")

    def fail(route: Route) -> None:
        """Let no command of the platform resolve."""
        data = route.fetch().json()
        for row in data["rows"]:
            row["findings"] = [{"kind": "none", "words": "The versions did not resolve."}]
        route.fulfill(json=data)

    page.route("**/api/v1/install/tpu-xla.json", fail)
    page.goto("?platform=tpu-xla&build=2.9.0&method=pip")
    expect(copy).to_have_text("Copy anyway")
    finding = page.locator("[data-part=finding]")
    expect(finding).to_have_class("finding finding--none")
    expect(finding).to_contain_text("did not resolve")
