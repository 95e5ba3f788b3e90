"""What a reader sees after clicking: the commands that their wishes alone lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, Route

from accelerator_portal.install import Selector
from accelerator_portal.install.payload import payload_overview
from accelerator_portal.install.resolution import offers, resolve
from accelerator_portal.site.platforms.selector_view import install_script
from tests.browser.test_selector_system import hints
from tests.browser.visit import LOADED_AHEAD, PHONE, Opened, OpenPage, expect, status
from tests.built_site import Site

SEQUENCES = 25
CLICKS = 20

# Clicks at random what a reader could click, and returns the wishes and what is shown then.
_CLICK = """([form, seed, clicks]) => {
  let state = seed;
  const dice = (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * sides);
  };
  const clicked = [];
  for (let n = 0; n < clicks; n += 1) {
    const radios = [...form.querySelectorAll("input[type=radio]")].filter(
      (input) => !input.checked && !input.closest("[hidden]")
    );
    const radio = radios[dice(radios.length)];
    radio.click();
    clicked.push([radio.name, radio.value]);
  }
  const box = form.querySelector("[data-part=box]");
  const text = form.querySelector("[data-part=script]").textContent.trim();
  return { clicked, script: box.hidden ? null : text };
}"""


PAIRS = 300

# From the start, picks a visible value of one axis and then of another one, at random. Returns how often what is shown
# differs from a pick, and the pairs whose difference the page does not say.
_PAIRS = """([form, seed, count]) => {
  let state = seed;
  const dice = (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * sides);
  };
  const all = () => [...form.querySelectorAll("input[type=radio]")];
  const shown = (axis) => {
    const input = all().find((one) => one.name === axis && one.checked);
    return input && [input.value, input.closest("label").querySelector(".choice-detail").textContent.trim()];
  };
  const pick = (other) => {
    const radios = all().filter((input) => !input.checked && input.name !== other && !input.closest("[hidden]"));
    const radio = radios[dice(radios.length)];
    const { name: axis, value } = radio;
    const label = radio.closest("label").querySelector(".choice-label").textContent.trim();
    radio.click();
    return { axis, value, label: label.toLowerCase() };
  };
  const silent = [];
  let differences = 0;
  for (let n = 0; n < count; n += 1) {
    form.querySelector("[data-reset]").click();
    const first = pick();
    const [platform] = shown("platform");
    const pair = [first, pick(first.axis)];
    const status = form.querySelector("[data-part=status]");
    const said = status.textContent.toLowerCase();
    for (const { axis, value, label } of pair) {
      const now = shown(axis);
      // Another platform has other variants; a container has its own Python.
      // "Stable" is the platform's newest release, whose number stands beside it.
      if (now === undefined || now[0] === value || (axis === "build" && now.includes(value))) continue;
      if (axis === "variant" && shown("platform")[0] !== platform) continue;
      differences += 1;
      if (!status.classList.contains("has-news") || !said.includes(label)) silent.push([pair, now, said]);
    }
  }
  return { differences, silent };
}"""


def wishes_of(clicked: list[list[str]]) -> dict[str, str]:
    """What clicks mean: the last of each axis counts, in the order of the last ones."""
    wishes: dict[str, str] = {}
    for axis, value in clicked:
        wishes.pop(axis, None)
        if (axis, value) != ("build", "stable"):
            wishes[axis] = value
    return wishes


def text_of(selector: Selector, wishes: dict[str, str]) -> str | None:
    start = {axis: selector.starts[0][axis] for axis in ("os", "arch")}
    if "os" in wishes and "arch" not in wishes:
        usual = next(s for s in selector.starts if s["os"] == wishes["os"])
        start["arch"] = usual["arch"]
    machine = {**start, **wishes}
    found = resolve(selector, machine)
    if found.row is None or found.choice is None:
        ended = payload_overview(selector)["ended"].get(f"{machine['os']} {machine['arch']}")
        platform = next(s["platform"] for s in selector.starts if s["os"] == machine["os"])
        lines = ended and (
            ended["environment"],
            ended["commands"],
            ended["checks"].get(wishes.get("platform", platform), ended["check"]),
        )
        return "\n".join(lines) if lines else None
    parts = install_script(found.row, found.choice)
    return "\n".join(filter(None, (parts.environment, parts.commands, parts.check)))


# Points at every platform, so that a click at once shows its commands; true when all were fetched.
_POINT = """(form) => {
  const platforms = [...form.querySelectorAll("input[name=platform]")];
  for (const one of platforms) one.dispatchEvent(new Event("pointerover", { bubbles: true }));
  const names = performance.getEntriesByType("resource").map(({ name }) => name);
  return platforms.every(({ value }) => names.some((name) => name.endsWith(`/install/${value}.json`)));
}"""


def fetch_all(page: Page) -> None:
    """Fetch the rows of all platforms, which happens otherwise when a reader points at one."""
    form = page.locator("form[data-selector]").element_handle()
    page.wait_for_function(_POINT, arg=form, timeout=LOADED_AHEAD)


def click_about(page: Page, seed: int) -> dict[str, Any]:
    form = page.locator("form[data-selector]").element_handle()
    found: dict[str, Any] = page.evaluate(_CLICK, [form, seed, CLICKS])
    return found


def test_any_clicks_lead_to_what_the_wishes_alone_lead_to(open_page: OpenPage, site: Site) -> None:
    page = open_page()
    fetch_all(page)
    for seed in range(SEQUENCES):
        page.locator("[data-reset]").evaluate("button => button.click()")
        found = click_about(page, seed)
        assert found["script"] == text_of(site.selector, wishes_of(found["clicked"])), (
            seed,
            found["clicked"],
        )


def test_any_two_picks_are_shown_or_the_difference_is_said(open_page: OpenPage) -> None:
    page = open_page()
    fetch_all(page)
    form = page.locator("form[data-selector]").element_handle()
    found = page.evaluate(_PAIRS, [form, 7, PAIRS])
    assert found["silent"] == []
    assert found["differences"] > PAIRS / 10


def test_an_address_leads_to_what_the_clicks_led_to(open_page: OpenPage, site: Site) -> None:
    page = open_page()
    for seed in range(100, 105):
        page.locator("[data-reset]").evaluate("button => button.click()")
        found = click_about(page, seed)
        wishes = wishes_of(found["clicked"])
        assert dict(parse_qsl(urlsplit(page.url).query)) == wishes
        page.reload()
        expect(page.locator("form[data-ready]")).to_be_attached()
        text = page.locator("[data-part=script]").text_content() or ""
        box = page.locator("[data-part=box]")
        assert (text.strip() if box.is_visible() else None) == text_of(site.selector, wishes)


def test_at_the_start_only_what_the_machine_cannot_have_is_marked(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("?os=linux&arch=x86_64")
    offered = offers(site.selector)
    marked = page.locator(".choice.is-blocked").all()
    assert 0 < len(marked) <= 6
    for label in marked:
        radio = label.locator("input")
        if radio.get_attribute("name") == "platform":
            assert "linux x86_64" not in offered[radio.get_attribute("value") or ""]
            assert "only" in (label.text_content() or "")
    for platform, machines in offered.items():
        label = page.locator(f"label:has(input[name=platform][value='{platform}'])")
        if "linux x86_64" in machines:
            build = machines["linux x86_64"].replace("preview", "nightly")
            assert build in (label.text_content() or "")


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
        data["finding"] = [["none", "The versions did not resolve."] for _ in data["finding"]]
        route.fulfill(json=data)

    page.route("**/api/v1/install/tpu-xla.json", fail)
    page.goto("?platform=tpu-xla&build=2.9.0&method=pip")
    expect(copy).to_have_text("Copy anyway")
    finding = page.locator("[data-part=finding]")
    expect(finding).to_have_class("finding finding--none")
    expect(finding).to_contain_text("did not resolve")


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


def test_the_last_choice_is_remembered_until_it_is_reset(open_page: OpenPage) -> None:
    page = open_page("?os=linux")
    page.locator("input[name=platform][value=rocm]").click()
    page.goto("./")
    expect(page.locator("input[name=platform][value=rocm]")).to_be_checked()
    page.goto("?platform=cpu")  # a link counts more
    expect(page.locator("input[name=platform][value=cpu]")).to_be_checked()
    page.goto("./")
    expect(page.locator("input[name=platform][value=rocm]")).to_be_checked()
    page.locator("[data-reset]").evaluate("button => button.click()")
    page.goto("./")
    expect(page.locator("input[name=platform][value=rocm]")).not_to_be_checked()


@pytest.mark.parametrize(
    "stored", ['{"a": 1}', "[[1, 2]]", '[["platform", "nowhere"]]', "not JSON"]
)
def test_memory_of_another_kind_is_ignored(open_page: OpenPage, stored: str) -> None:
    store = f"localStorage.setItem('accelerator-portal.selector', {stored!r});"
    page = open_page(script=f"try {{ {store} }} catch {{}}")  # a page without address has none
    expect(page.locator("[data-part=commands]")).to_contain_text("install")


@pytest.mark.parametrize(("typed", "package"), [("neur", "torch-neuronx"), ("Huawei", "torch-npu")])
def test_platforms_are_found_by_name_and_vendor(
    open_page: OpenPage, typed: str, package: str
) -> None:
    page = open_page()
    page.get_by_text("More platforms").click()
    page.get_by_label("Filter platforms").fill(typed)
    shown = page.locator(".axis-platform .more-choices .choice:visible")
    expect(shown).to_have_count(1)
    shown.click()
    expect(page.locator("[data-part=commands]")).to_contain_text(package)
    expect(shown).to_have_count(1)


@pytest.mark.parametrize(
    ("system", "line"), [("Windows", "py -3.13 -m venv"), ("macOS", "python3.13 -m venv")]
)
def test_before_its_data_the_page_shows_the_readers_own_system(
    opened: Callable[..., Opened], system: str, line: str
) -> None:
    page = opened(script=hints(system, "x86") + SLOW, wait=False).page
    expect(page.locator("[data-part=summary]")).to_contain_text(system)
    expect(page.locator("[data-part=environment]")).to_contain_text(line)
    expect(page.locator("input[name=platform]:checked")).to_be_disabled()


def test_on_a_phone_copy_stays_in_view_while_choosing(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    page.locator("[data-part=settings] > summary").click()
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator("[data-copy=script]")).to_be_in_viewport()
    after = page.locator(".result-facts").evaluate("box => box.getBoundingClientRect().top")
    assert after > PHONE["height"], "the form has to be taller than the screen here"


def test_arrow_keys_move_within_an_axis_in_one_step_of_the_history(open_page: OpenPage) -> None:
    page = open_page("?os=linux&arch=x86_64")
    steps = page.evaluate("history.length")
    page.locator("input[name=platform]:checked").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("history.length") == steps + 1
    assert page.locator("input[name=os]:checked").get_attribute("value") == "linux"


def test_a_project_file_is_shown_with_its_commands(open_page: OpenPage) -> None:
    page = open_page("?platform=cuda&os=linux&method=pyproject&build=2.14.1")
    file = page.locator("[data-part=files] pre")
    expect(file).to_contain_text('"torch==2.14.1"')
    expect(file).to_contain_text('requires-python = "==3.13.*"')
    expect(page.locator("[data-part=commands]")).to_have_text("uv sync")
    expect(page.locator("[data-part=check]")).to_contain_text("uv run python")


SLOW = """
const fetched = window.fetch;
window.fetch = (...all) => String(all[0]).includes("install")
  ? new Promise((resolve) => setTimeout(resolve, 4000)).then(() => fetched(...all))
  : fetched(...all);
"""
REFUSED = """
const fetched = window.fetch;
window.fetch = (...all) => String(all[0]).includes("install")
  ? Promise.reject(new TypeError("refused")) : fetched(...all);
"""


def test_while_the_data_loads_nothing_can_be_chosen(
    site: Site, opened: Callable[..., Opened]
) -> None:
    """Chromium warns of preloaded data that nobody takes within some seconds: here on purpose."""
    page = opened(script=SLOW, wait=False).page
    radio = page.locator("input[name=platform][value=rocm]")
    expect(radio).to_be_disabled()
    shown = page.locator("[data-part=script]").text_content() or ""
    assert shown.strip() == text_of(site.selector, {})
    expect(page.locator("form[data-ready]")).to_be_attached()
    expect(radio).to_be_enabled()


def test_without_its_data_the_table_takes_over(open_page: OpenPage) -> None:
    page = open_page(script=REFUSED, wait=False)
    expect(page.get_by_text("could not load its data")).to_be_visible()
    expect(page.locator("[data-part=script]")).to_be_hidden()
    expect(page.locator(".static-commands table")).to_be_visible()


@pytest.mark.parametrize(("platform", "has_uv"), [("cuda", True), ("neuron", False)])
def test_uv_is_offered_for_a_missing_python_where_it_has_a_command(
    open_page: OpenPage, platform: str, *, has_uv: bool
) -> None:
    page = open_page(f"?platform={platform}&os=linux")
    note = page.locator("[data-part=python-note]")
    expect(note).to_contain_text("does not have this Python version")
    expect(note.locator("span")).to_be_visible(visible=has_uv)
