"""What a driver or a card leaves of the selector's choices."""

from __future__ import annotations

import pytest

from tests.browser.visit import OpenPage, expect


@pytest.mark.parametrize(
    ("typed", "variant"),
    [
        ("535", "cu126"),
        ("v580.65.06", "cu132"),
        ("| NVIDIA-SMI 535.104.05  Driver Version: 535.104.05  CUDA Version: 12.2 |", "cu126"),
    ],
)
def test_a_driver_limits_the_builds(open_page: OpenPage, typed: str, variant: str) -> None:
    page = open_page("?platform=cuda&os=linux&arch=x86_64")
    page.locator("[data-part=settings] > summary").click()
    page.locator("#driver-version").fill(typed)
    expect(page.locator(f"input[name=variant][value={variant}]")).to_be_checked()
    expect(page.locator("[data-part=limit]")).to_contain_text("Limited to builds for NVIDIA driver")
    page.get_by_role("button", name="Remove this limit").click()
    expect(page.locator("[data-part=limit]")).to_be_hidden()


@pytest.mark.parametrize("typed", ["banana", "1.2.3.4.5.6", "-5", "9" * 400])
def test_what_is_no_driver_version_is_said(open_page: OpenPage, typed: str) -> None:
    page = open_page("?platform=cuda&os=linux&arch=x86_64")
    before = page.locator("[data-part=script]").text_content()
    page.locator("[data-part=settings] > summary").click()
    page.locator("#driver-version").fill(typed)
    expect(page.locator("[data-part=driver-state]")).to_contain_text("No driver version found")
    assert page.locator("[data-part=script]").text_content() == before


def test_a_cards_limit_holds_until_it_is_removed(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&card=volta-7-0&os=linux&arch=x86_64")
    cu126 = page.locator("input[name=variant][value=cu126]")
    expect(cu126).to_be_checked()
    for platform in ("cpu", "cuda"):
        page.locator(f"input[name=platform][value={platform}]").evaluate("input => input.click()")
    expect(cu126).to_be_checked()
    page.locator("[data-reset]").evaluate("button => button.click()")
    expect(cu126).not_to_be_checked()


@pytest.mark.parametrize(
    ("query", "card", "part", "remark"),
    [
        (
            "platform=ascend",
            "ascend-310p-310p",
            "finding",
            "It is not certain that the builds run on this hardware.",
        ),
        (
            "platform=cuda&arch=aarch64",
            "ampere-8-7",
            "limit",
            "The builds need JetPack 7.2 or newer.",
        ),
    ],
)
def test_a_card_states_its_condition_and_a_doubt_beside_the_command(
    open_page: OpenPage, query: str, card: str, part: str, remark: str
) -> None:
    page = open_page(f"?os=linux&{query}&card={card}")
    expect(page.locator(f"[data-part={part}]")).to_contain_text(remark)
    copy = "Copy anyway" if part == "finding" else "Copy"
    expect(page.locator("[data-copy=script]")).to_have_text(copy)
    href = page.get_by_role("link", name="About this card").get_attribute("href") or ""
    assert href.endswith(f"#card-{card}")


def test_values_that_a_card_cannot_have_say_so(open_page: OpenPage) -> None:
    page = open_page("?platform=rocm&card=rdna2-gfx1031&os=linux")
    docker = page.locator("label", has=page.locator("input[name=method][value=docker]"))
    expect(docker.locator(".choice-reason")).to_have_text("not for your card")


def test_a_card_without_a_build_for_the_machine_names_other_machines(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&card=ampere-8-7&os=linux&arch=x86_64")
    page.locator("[data-part=status] [data-machine]").click()
    expect(page.locator("[data-part=summary]")).to_contain_text("ARM64")
