"""The selector's page: its memory, keys, search and phone layout, and what it shows without its data."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.test_selector_system import hints
from tests.browser.test_selector_walk import text_of
from tests.browser.visit import PHONE, Opened, OpenPage, expect
from tests.built_site import Site


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


def test_the_remembered_choice_stays_when_the_reader_follows_a_link_within_the_page(
    open_page: OpenPage,
) -> None:
    page = open_page("?os=linux")
    rocm = page.locator("input[name=platform][value=rocm]")
    rocm.click()
    page.goto("./")
    expect(rocm).to_be_checked()
    page.locator("a.to-finder").first.click()
    expect(rocm).to_be_checked()
    page.locator("input[name=platform][value=cpu]").click()
    page.go_back()
    expect(rocm).to_be_checked()


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


def test_rows_that_cannot_be_loaded_are_loaded_when_the_platform_is_selected_again(
    opened: Callable[..., Opened],
) -> None:
    page = opened("?os=linux&platform=cuda").page
    page.route("**/install/ascend.json", lambda route: route.abort())
    page.evaluate("performance.clearResourceTimings()")
    ascend = page.locator("label:has(input[name=platform][value=ascend])")
    page.get_by_text("More platforms").click()
    ascend.click()
    status = page.locator("[data-part=status]")
    expect(status).to_contain_text("could not be loaded. Check your connection")
    expect(page.get_by_role("button", name="Copy the install command only")).to_be_hidden()
    expect(page.locator("[data-part=offline]")).to_be_hidden()
    page.unroute("**/install/ascend.json")
    ascend.click()
    expect(page.locator("[data-part=commands]")).to_contain_text("torch-npu")


def test_a_script_that_cannot_be_loaded_leaves_the_table(opened: Callable[..., Opened]) -> None:
    page = opened("get-started/").page
    page.route("**/selector-model.js", lambda route: route.abort())
    page.goto(page.url.replace("get-started/", ""))
    expect(page.locator(".static-commands table")).to_be_visible()
    expect(page.locator("form[data-selector] .axes")).to_be_hidden()


def test_copy_says_what_it_copies_after_the_choice_has_changed(open_page: OpenPage) -> None:
    page = open_page("?os=linux&platform=cuda", permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("[data-copy=script]")
    button.click()
    expect(button).to_have_text("Copied")
    button.evaluate("button => { button.textContent = 'Copy anyway'; }")
    page.wait_for_timeout(2_100)
    expect(button).to_have_text("Copy anyway")
