"""The card finder on its pages: what readers type, paste and mistype, and the commands they get."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Route

from tests.browser import finder_queries as texts
from tests.browser.finding import HARDWARE, HOME, anew, ask, on
from tests.browser.visit import Opened, OpenPage, expect, shown_commands


def test_notes_of_the_card_stand_beside_its_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "Jetson AGX Orin")
    first = page.locator(".answer").first
    expect(first.locator(".note").first).to_contain_text("JetPack")
    expect(first.locator(".answer-runs")).to_contain_text("ARM64")


def test_a_processor_leads_to_its_npu(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    for query in ("Snapdragon X Elite", "Core Ultra 7 258V"):
        anew(page)
        ask(page, query)
        found = page.locator(".answer").first.get_by_role("link", name="The NPU of this processor")
        expect(found).to_have_attribute("href", re.compile(rf"\?card={quote(query)}%20NPU$"))


def test_a_computer_of_one_name_says_nothing_about_another_card(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RTX 3060 and M2 Mac mini")
    runs = page.locator(".answer", has_text="RTX 3060").locator(".answer-runs")
    expect(runs.first).to_contain_text("CUDA")
    expect(runs.first).to_contain_text("Linux")
    expect(page.locator(".answer").first.locator(".answer-runs")).to_contain_text("macOS")


def test_the_tool_of_a_platform_is_not_named_for_an_npu(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "Hexagon NPU")
    expect(page.locator(".answer").first).to_contain_text("No PyTorch build")
    expect(page.locator(".answer-identify")).to_have_count(0)


def test_the_example_of_a_note_is_the_card_of_the_answer(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RX 6600 XT")
    note = page.locator(".answer").first.locator(".note", has_text="device-all")
    expect(note).to_contain_text("for example device-gfx1032 for this card.")


def test_a_part_of_a_card_suggests_the_card(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "GRID T4-8Q")
    expect(page.locator(".answer-near")).to_contain_text("T4 (CUDA)")


def test_the_sites_search_leads_to_the_finder(open_page: OpenPage) -> None:
    page = open_page("get-started/")
    search = page.locator("[data-md-component=search-query]")
    link = page.locator(".search-lead.to-finder-page")
    for other in ("nightly", "2.1.2", "2.1.2 cu118", "resnet50", "PrivateUse1"):
        search.fill(other)
        expect(link).to_be_hidden()
    search.fill("GTX 1060")
    expect(link).to_have_text("Look up “GTX 1060” in the card finder")
    link.click()
    expect(page.locator(".answer-name").first).to_have_text("GeForce GTX 1060")


@pytest.mark.parametrize("width", [360, 390])
def test_the_jump_to_the_finder_shows_its_label(open_page: OpenPage, width: int) -> None:
    page = open_page(HOME, viewport={"width": width, "height": 740})
    page.locator("a.to-finder").first.click()
    expect(page.locator("#card:target")).to_be_in_viewport()
    tops = "document.querySelector('label[for=card]').getBoundingClientRect().top >= document.querySelector('.md-header').getBoundingClientRect().bottom"
    page.wait_for_function(tops)


@pytest.mark.parametrize(
    ("error", "found"),
    [
        ("RuntimeError: NPU out of memory", "npu-out-of-memory"),
        (
            "Traceback (most recent call last):\n"
            + '  File "a.py"\n' * 200
            + "RuntimeError: NPU out of memory. Tried 2.00 MiB",
            "npu-out-of-memory",
        ),
        # Of a long text, the link has the last 1,000 units of UTF-16; half of the llama is too much.
        (
            f"Error: 🦙{'RuntimeError: NPU out of memory. Tried 2.00 MiB':\n>999}",
            "npu-out-of-memory",
        ),
        ("CUDA error: no kernel image is available for execution on the device", "no-kernel-image"),
    ],
)
def test_an_error_message_leads_to_its_answer(open_page: OpenPage, error: str, found: str) -> None:
    page = open_page(HOME)
    ask(page, error)
    page.get_by_role("link", name="Find this error message").click()
    expect(page.locator(".question[open]").first).to_have_attribute(
        "data-question", re.compile(found)
    )


def test_a_text_of_many_lines_is_searched_once(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    ask(page, "RTX 4090")  # so that the data is loaded
    page.evaluate("""() => {
      const original = history.replaceState;
      window.searches = 0;
      history.replaceState = function (...all) { searches += 1; return original.apply(this, all); };
    }""")
    page.locator("#card").fill('  File "a.py"\n' * 50 + "RuntimeError: NPU out of memory")
    expect(page.get_by_role("link", name="Find this error message")).to_be_visible()
    assert page.evaluate("searches") == 1


def test_copy_takes_the_whole_script(open_page: OpenPage) -> None:
    page = open_page(
        HARDWARE, script=on("linux"), permissions=["clipboard-read", "clipboard-write"]
    )
    ask(page, "MI300X")
    box = page.locator(".answer .command-box").first
    box.get_by_role("button", name="Copy").click()
    expect(box.get_by_role("button")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == box.locator(".command").text_content()
    assert "python3 -m pip install torch" in copied


def test_going_back_asks_what_the_address_asks(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=V100")
    expect(page.locator(".answer").first).to_contain_text("V100 16GB")
    page.evaluate("location.hash = 'all'")
    ask(page, "MI300X")
    expect(page.locator(".answer").first).to_contain_text("MI300X")
    page.go_back()
    expect(page.locator("#card")).to_have_value("V100")
    expect(page.locator(".answer").first).to_contain_text("V100 16GB")
    pasted = texts.PASTES["nvidia-smi"].text  # too long for an address
    ask(page, pasted)
    page.evaluate("location.hash = 'see'")
    expect(page.locator("#card")).to_have_value(pasted)


def test_what_is_typed_before_the_script_has_come_counts(opened: Callable[..., Opened]) -> None:
    page = opened(HOME).page
    held: list[Route] = []
    page.route("**/finder.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.goto(f"{page.url}{HARDWARE}?card=V100", wait_until="commit")
    page.locator("#card").fill("MI300X")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator(".answer").first).to_contain_text("MI300X")
    expect(page.locator("#card")).to_have_value("MI300X")


@pytest.mark.parametrize("query", ["V100", "\uff36\uff11\uff10\uff10"])
def test_a_card_in_the_address_is_found(open_page: OpenPage, query: str) -> None:
    page = open_page(f"{HARDWARE}?card={quote(query)}")
    expect(page.locator(".answer").first).to_contain_text("V100 16GB")


def test_the_answer_opens_in_the_selector(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=V100", script=on("windows"))
    commands = page.locator(".answer .command-main").first
    expect(commands).to_contain_text("cu126")
    wanted = commands.text_content()
    page.locator(".answer a", has_text="Open in the selector").first.click()
    expect(page.locator("input[name=platform]:checked")).to_have_value("cuda")
    expect(page.locator("input[name=variant]:checked")).to_have_value("cu126")
    expect(page.locator("input[name=os]:checked")).to_have_value("windows")
    assert shown_commands(page) == wanted


def test_on_the_first_page_the_answer_sets_the_selector_in_place(open_page: OpenPage) -> None:
    page = open_page("", script=on("windows"))
    ask(page, "RX 7900 XTX")
    page.locator(".answer a", has_text="Open in the selector").first.click()
    expect(page.locator("input[name=platform]:checked")).to_have_value("rocm")
    assert page.url.partition("?")[0].endswith("/")
    assert "platform=rocm&card=rdna3-gfx1100&os=windows" in page.url
    expect(page.locator("[data-part=script]")).to_be_focused()
    expect(page.locator("[data-part=limit]")).to_contain_text("RDNA3")


def test_the_answer_leads_to_its_row_on_the_platforms_page(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=gfx1030")
    page.locator(".answer a", has_text="on the ROCm page").first.click()
    generation = page.locator(".generation:has(:target)")
    expect(generation).to_be_in_viewport()
    expect(generation).to_contain_text("gfx1030")


NONSENSE = [
    "nothing of the kind",
    "Voodoo 3dfx 99",
    "<img src=x onerror=alert(1)>",
    "'\"><script>alert(1)</script>",
    "../../etc/passwd",
    "x" * 5000,
    "((((((((((abc+)+)+)+)+)+)+$",
    "%00%ff",
    "__proto__",
]


def test_what_matches_nothing_gets_the_next_step(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    for query in NONSENSE:
        anew(page)
        ask(page, query)
        expect(page.locator("#card-status")).to_contain_text(f"“{query[:80]}")
        expect(page.locator(".answer-help h3")).to_have_text("Identify your hardware on Windows")
        expect(page.locator(".answer-help")).to_contain_text("nvidia-smi")
        expect(page.locator(".finder-answers a")).to_have_count(3)
        assert page.locator(".finder img, .finder script").count() == 0


@pytest.mark.parametrize(
    ("query", "titles", "address"),
    [
        ("iPhone 15", ["ExecuTorch", "Core ML", "LiteRT"], "other-ways/#executorch"),
        ("galaxy s24", ["ExecuTorch", "LiteRT"], "other-ways/#executorch"),
        ("Google Pixel 8", ["ExecuTorch", "LiteRT"], "other-ways/#executorch"),
        ("Groq", ["GroqFlow"], "compute-platforms/#groq"),
        ("Microsoft Maia 100", ["Maia"], "compute-platforms/#maia"),
    ],
)
def test_hardware_without_a_platform_gets_its_software(
    open_page: OpenPage, query: str, titles: list[str], address: str
) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, query)
    status = page.locator("#card-status")
    expect(status).to_have_text(f"There is no install command for “{query}” here.")
    expect(page.locator(".answer-name")).to_have_text(titles)
    expect(page.locator(".answer .command, .answer-help")).to_have_count(0)
    link = page.locator(".answer").first.get_by_role("link", name=f"{titles[0]}, with sources")
    link.click()
    assert page.url.endswith(address)
    expect(page.locator(":target")).to_contain_text(titles[0])


def test_android_gets_the_reason_and_a_runtime(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "android phone")
    expect(page.locator(".answer .runs-none").first).to_contain_text("Android")
    expect(page.locator(".answer-name", has_text="ExecuTorch")).to_be_visible()
    expect(page.locator(".answer .command")).to_have_count(0)


def test_a_notebook_gets_its_usual_hardware(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "Google Colab")
    expect(page.locator("#card-status")).to_contain_text("3 matches.")
    first = page.locator(".answer").first
    expect(first.locator(".answer-name")).to_have_text("T4")
    expect(first.locator(".answer-runs")).to_contain_text("Linux")
    expect(first).to_contain_text("Google Colab has PyTorch installed.")
    first.get_by_role("link", name="how to install PyTorch in a notebook").click()
    expect(page.locator(":target")).to_have_attribute("id", re.compile("faq-.*in-a-notebook"))


def test_entries_that_cannot_be_read_are_read_at_the_next_use(open_page: OpenPage) -> None:
    page = open_page(HOME)
    page.route("**/other-backends.json", lambda route: route.fulfill(status=200, body="{"))
    ask(page, "Groq")
    expect(page.locator("#card-status")).to_contain_text("could not load its data")
    page.unroute("**/other-backends.json")
    ask(page, "SambaNova")
    expect(page.locator(".answer-name")).to_have_text("SambaFlow")


def test_an_unknown_card_of_a_known_vendor_gets_the_vendors_platform(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "NVIDIA Foo 7777")
    expect(page.locator("#card-status")).to_contain_text("“NVIDIA Foo 7777” is not in the list.")
    expect(page.locator(".answer-name").first).to_have_text("NVIDIA: CUDA")
    expect(page.locator(".answer-help")).to_have_count(1)
    expect(page.locator(".answer .command")).to_have_count(0)


def test_a_number_beside_an_unknown_word_is_asked_about(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "hello 4090")
    expect(page.locator("#card-status")).to_have_text("“hello 4090” is not in the list.")
    expect(page.locator(".answer-near")).to_contain_text("Did you mean GeForce RTX 4090 (CUDA)")
    expect(page.locator(".answer .command")).to_have_count(0)


def test_a_text_that_is_cut_says_so(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RTX 3060\n" + "x" * 20_000)
    expect(page.locator("#card-status")).to_contain_text("first 20,000 characters were read.")


def test_too_little_is_asked_to_be_more(open_page: OpenPage) -> None:
    page = open_page(HOME)
    for query in ("a", "8", "🦙", "((((", "-"):
        anew(page)
        ask(page, query)
        expect(page.locator("#card-status")).to_have_text("Type at least two letters or digits.")
        expect(page.locator(".finder-answers > *")).to_have_count(0)


def test_a_query_that_names_several_says_how_many(open_page: OpenPage) -> None:
    page = open_page(HOME)
    ask(page, "Atlas 300I")
    expect(page.locator("#card-status")).to_contain_text("matches.")
    assert 1 < page.locator(".answer").count() <= 6
    second = page.locator("details.answer").first
    second.locator("summary").click()
    expect(second.locator(".answer-what")).to_be_visible()


def test_the_question_stays_in_the_address(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    ask(page, "A100 & co")
    assert page.url.endswith("?card=A100%20%26%20co")
    ask(page, texts.PASTES["nvidia-smi"].text)  # too long for an address
    expect(page.locator(".answer-name").first).to_contain_text("3090")
    assert page.url.endswith(HARDWARE)
    page.locator("#card").fill("")
    expect(page.locator(".answer")).to_have_count(0)
    assert page.url.endswith(HARDWARE)


def test_enter_asks_and_does_not_leave_the_page(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#card").fill("MI300X")
    page.keyboard.press("Enter")
    expect(page.locator(".answer").first).to_contain_text("Instinct MI300X")
    expect(page.locator("#card")).to_have_value("MI300X")
    assert "card=" not in page.url


def test_when_the_data_cannot_be_read_it_says_so_and_tries_again(open_page: OpenPage) -> None:
    page = open_page(HOME)
    page.route("**/hardware.json", lambda route: route.fulfill(status=200, body="{"))
    page.locator("#card").fill("V10")
    expect(page.locator("#card-status")).to_contain_text("could not load its data")
    page.unroute("**/hardware.json")
    page.locator("#card").fill("V100")
    expect(page.locator(".answer").first).to_contain_text("Volta")


def test_the_search_says_that_it_runs_while_the_data_are_read(
    opened: Callable[..., Opened],
) -> None:
    page = opened("hardware/").page
    held: list[Route] = []
    page.route("**/hardware.json", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.reload()
    page.locator("#card").fill("RX 7900 XTX")
    expect(page.locator("#card-status")).to_have_text("Searching…")
    for route in held:
        route.continue_()
    expect(page.locator("#card-status")).not_to_have_text("Searching…")
    expect(page.locator(".answer").first).to_be_visible()


def test_data_that_could_not_be_read_early_is_read_for_a_pasted_query(
    opened: Callable[..., Opened],
) -> None:
    page = opened(HOME).page
    page.locator("#card").hover()
    page.wait_for_load_state("networkidle")  # the modules have come
    page.route("**/hardware.json", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.locator("#card").focus()
    page.unroute("**/hardware.json")
    page.locator("#card").fill("V100")
    expect(page.locator(".answer").first).to_contain_text("Volta")


@pytest.mark.parametrize("address", ["", "?os=windows&arch=nonsense"])
def test_the_commands_are_for_the_system_of_the_selector(open_page: OpenPage, address: str) -> None:
    page = open_page("?os=windows" if address else HOME, script=on("linux"))
    page.locator("input[name=os][value=windows]").evaluate("input => input.click()")
    page.goto("./" + address)  # the selector remembers the system
    ask(page, "Core i7-12700")
    expect(page.locator(".answer").first.locator(".answer-runs")).to_contain_text("Windows, x86-64")


def test_modules_that_could_not_be_loaded_are_loaded_at_the_next_use(
    opened: Callable[..., Opened],
) -> None:
    page = opened(HOME).page
    page.route("**/finder.js", lambda route: route.abort())
    page.locator("#card").focus()
    page.wait_for_event("requestfailed")
    page.unroute("**/finder.js")
    page.locator("#card").hover()
    page.locator("#card").fill("V100")
    expect(page.locator(".answer").first).to_contain_text("Volta")


def test_without_scripts_the_question_leads_to_the_table(open_page: OpenPage) -> None:
    page = open_page("", java_script_enabled=False)
    page.locator("#card").fill("V100")
    page.locator(".finder button").click()
    row = page.locator(".all-hardware tr", has_text="V100 16GB")
    expect(row).to_be_visible()
    expect(row).to_contain_text("p3.*")
    expect(row.locator(".runs a")).to_have_attribute(
        "href", "../?platform=cuda&card=volta-7-0&arch=x86_64"
    )
