"""The table of models: filters in the address, and the way from a cell to a log and a command."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.visit import PHONE, OpenPage, expect, wait_until_ready

MODELS = "results/by-model/"


def families(page: Page) -> list[str]:
    return page.locator(".family-row:visible th").all_inner_texts()


def platforms(page: Page) -> list[str | None]:
    heads = page.locator(".families thead [data-platform]:visible").all()
    return [head.get_attribute("data-platform") for head in heads]


@pytest.mark.parametrize(
    ("address", "shown", "words"),
    [
        ("?text=LlamaForCausalLM", ["Llama"], "Showing 1 of "),
        ("?text=ResNet-50", ["ResNet"], "Showing 1 of "),
        ("?text=Llama-3.1-8B-Other", ["Llama"], "No family matches all words."),
        ("?text=qwen&platform=xpu", ["Qwen", "LLaVA"], "XPU"),
        ("?text=qwen&platform=xpu&evidence=runs", [], "Showing 0 of "),
        ("?text=qwen&platform=%3Cb%3E&evidence=nonsense", ["Qwen", "LLaVA"], "Showing 2 of "),
    ],
)
def test_the_address_says_what_is_shown(
    open_page: OpenPage, address: str, shown: list[str], words: str
) -> None:
    page = open_page(MODELS + address)
    expect(page.locator(".filters-state")).to_contain_text(words)
    assert families(page) == shown
    expect(page.locator(".matrix-empty")).to_be_visible(visible=not shown)


def test_a_phone_shows_the_evidence_of_a_family(open_page: OpenPage) -> None:
    page = open_page(f"{MODELS}llama/", viewport=PHONE)
    box = page.locator(".table-box:has(.family-results)")
    assert box.evaluate("box => box.scrollWidth - box.clientWidth") <= 0


def test_a_reader_finds_the_command_of_a_model(open_page: OpenPage) -> None:
    page = open_page(MODELS)
    everything = len(families(page))
    page.locator("select[name=platform]").select_option("cpu")
    page.locator("select[name=evidence]").select_option("runs")
    page.locator("input[name=text]").fill("whisper")
    assert platforms(page) == ["cpu"]
    assert families(page) == ["Whisper"]
    assert page.url.endswith("?text=whisper&platform=cpu&evidence=runs")
    page.reload()
    wait_until_ready(page)
    assert families(page) == ["Whisper"]
    page.locator("input[name=text]").fill("")
    assert 1 < len(families(page)) < everything
    page.locator(".family-row", has_text="Whisper").locator(".family-result:visible").click()
    expect(page.locator("h2#cpu")).to_be_in_viewport()
    page.locator(".report-tests").first.get_by_role("link", name="command").first.click()
    result = page.locator(".evidence > li:target")
    expect(result).to_be_in_viewport()
    expect(result).to_contain_text("accelerator-portal validate")


def test_only_runs_leaves_no_baseline_to_be_seen(open_page: OpenPage) -> None:
    page = open_page(f"{MODELS}?evidence=runs")
    expect(page.locator("[data-basis=runs] a:visible").first).to_be_visible()
    expect(page.locator("[data-basis=baselines] a:visible")).to_have_count(0)


def test_without_scripts_the_whole_table_is_there(open_page: OpenPage) -> None:
    page = open_page(f"{MODELS}?text=qwen", java_script_enabled=False)
    expect(page.locator("form[data-models]")).to_be_hidden()
    assert {"Llama", "Qwen", "BERT"} <= set(families(page))
